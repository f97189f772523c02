"""Searches that visitors start: what they are told, what they may not ask for, and how they share one machine."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.app.serving_try import (
    ECHO,
    LONG_TEXT,
    calls,
    events,
    late_victim,
    searched,
    serving_try,
    slow_victim,
    wish,
)
from tests.end_to_end.command import VADER

import unfool
from unfool.data import from_texts

BAD = "The worst two hours of my life, and a terrible film."
PATIENCE = 60


def test_a_search_is_told_step_by_step(tmp_path: Path) -> None:
    with serving_try(tmp_path, "--victims", VADER) as client:
        told = searched(client, wish(VADER, "morpheus", text=BAD))
    assert [event["type"] for event in told[:3]] == ["waiting", "opening", "attack"]
    *steps, result, end = told[3:]
    assert {step["type"] for step in steps} == {"step"}
    assert end == {"type": "end"}
    assert steps[0]["queries"] == 0
    assert steps[0]["fields"] == [[[BAD], None]]
    assert all(sum(step["beliefs"]) == pytest.approx(1, abs=1e-3) for step in steps)
    queries = [step["queries"] for step in steps]
    assert queries == sorted(set(queries))
    # The page tells what the engine found: the same as of an attack from Python.
    run = unfool.attack(VADER, from_texts([BAD], "@victim"), "morpheus", out=tmp_path / "run", progress=False)
    (outcome,) = run.outcomes()
    row = dict(zip(result["samples"]["columns"], result["samples"]["rows"][0], strict=True))
    assert (row["status"], row["queries"]) == (outcome.status, outcome.queries)
    assert "".join(row["fields"][0][1]) == outcome.perturbed[0]
    assert result["overlays"]["0"][2][0] == pytest.approx(outcome.before.confidence, abs=1e-3)


def test_several_attacks_one_after_the_other(tmp_path: Path) -> None:
    with serving_try(tmp_path, "--victims", VADER) as client:
        told = searched(client, wish(VADER, "noise", "hotflip", "morpheus", text=BAD))
    assert [event["type"] for event in told if event["type"] in ("result", "failed")] == [
        "result", "failed", "result",
    ]  # fmt: skip
    (refused,) = (event["error"] for event in told if event["type"] == "failed")
    assert "needs the net's gradients" in refused


def test_a_translator_is_fooled_by_a_goal(tmp_path: Path) -> None:
    (tmp_path / "echo.py").write_text(ECHO, "utf-8")
    name = f"py:{tmp_path / 'echo.py'}:translate"
    with serving_try(tmp_path, "--translators", name) as client:
        told = searched(client, wish(name, "noise", goal="degrade"))
        result = told[-2]
        row = dict(zip(result["samples"]["columns"], result["samples"]["rows"][0], strict=True))
        assert result["samples"]["fields"] == ["text", "output"]
        source, output = row["fields"]
        assert "".join(output[1]) == "".join(source[1]).upper()
        assert client.post("/api/try", json=wish(name, "noise")).status_code == 409
        unknown = client.post("/api/try", json=wish(name, "noise", goal="py"))
        assert (unknown.status_code, "unknown goal" in unknown.json()["error"]) == (409, True)


def test_nothing_else_can_be_opened(tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text(
        "from pathlib import Path\nPath(__file__).with_suffix('.ran').touch()\n"
        "def probabilities(texts): return [[1, 0]] * len(texts)\n",
        "utf-8",
    )
    evil = f"py:{tmp_path / 'evil.py'}:probabilities"
    forbidden: list[dict[str, Any]] = [
        wish(evil, "noise"),
        wish(evil, "noise", goal="degrade"),
        wish(f"{VADER}#threshold=0.9", "noise"),
        wish("hf:/etc", "noise"),
        wish(VADER, "noise", goal="degrade"),
        wish(VADER, evil),
        wish(VADER, f"noise:{evil}"),
        wish(VADER, "textfooler:encoder=/etc/passwd"),
        {**wish(VADER), "attacks": [{"name": "textfooler", "settings": {"encoder": "minilm"}}]},
        {**wish(VADER), "attacks": [{"name": "strongest-swap", "settings": {"nb": "py:os:getcwd"}}]},
    ]
    with serving_try(tmp_path, "--victims", VADER) as client:
        for each in forbidden:
            refused = client.post("/api/try", json=each)
            assert refused.status_code in (409, 422), each
            assert refused.json().keys() == {"error"}
    assert not (tmp_path / "evil.ran").exists()


def test_inputs_are_bounded(tmp_path: Path) -> None:
    def settings(**given: object) -> dict[str, Any]:
        return {**wish(VADER), "attacks": [{"name": "textfooler", "settings": given}]}

    unbounded: list[Any] = [
        wish(VADER, "noise", text="x" * 5001), wish(VADER, "noise", text=" "), wish(VADER, "noise", text=""),
        wish(VADER, *["noise"] * 5), wish(VADER), wish(VADER, "noise", queries=10**9),
        wish(VADER, "noise", queries=0), wish(VADER, "noise", second="x" * 5001), wish(VADER, "noise", more=1),
        settings(candidates=50), settings(candidates="1000000000"), settings(cosine="nan"), settings(cosine="inf"),
        settings(candidates="5" * 41), settings(tags="ugly"), settings(nothing="1"), [], "x",
    ]  # fmt: skip
    with serving_try(tmp_path, "--victims", VADER) as client:
        for each in unbounded:
            refused = client.post("/api/try", json=each)
            assert refused.status_code in (409, 422), each
            assert refused.json().keys() == {"error"}
        assert client.post("/api/try", json=wish(VADER, "noise"), headers={"origin": "http://x"}).status_code == 403
        assert client.get("/api/try").json()["classifiers"] == [VADER]


def test_a_form_has_only_what_a_visitor_may_set(tmp_path: Path) -> None:
    with serving_try(tmp_path, "--victims", VADER) as client:
        forms = {form["name"]: form for form in client.get("/api/try").json()["attacks"]}
    assert set(forms) == set(unfool.attacks.ATTACKS.names())
    fields = {field["name"]: field for field in forms["textfooler"]["fields"]}
    assert "encoder" not in fields
    assert fields["candidates"] == {"name": "candidates", "default": "50", "optional": False, "kind": "whole"}
    assert "released" in fields["variant"]["choices"]


def test_a_tab_that_is_closed_ends_its_search(tmp_path: Path) -> None:
    victim = slow_victim(tmp_path)
    with serving_try(tmp_path, "--victims", victim) as client:
        with client.stream("POST", "/api/try", json=wish(victim, "morpheus", text=LONG_TEXT)) as answer:
            told = events(answer.iter_lines())
            while next(told)["type"] != "step":
                pass
        # Were it still at work, the next one would meet it.
        end = time.monotonic() + PATIENCE
        while searched(client, wish(victim, "noise"))[0]["others"]:
            assert time.monotonic() < end
        before = calls(tmp_path)
        searched(client, wish(victim, "noise"))
        alone = calls(tmp_path) - before
        searched(client, wish(victim, "noise"))
        assert calls(tmp_path) - before == 2 * alone


def test_time_runs_out(tmp_path: Path) -> None:
    victim = slow_victim(tmp_path)
    with serving_try(tmp_path, "--victims", victim, "--seconds", 1) as client:
        told = searched(client, wish(victim, "morpheus", "noise", text=LONG_TEXT))
    kinds = [event["type"] for event in told if event["type"] != "step"]
    assert kinds[:5] == ["waiting", "opening", "attack", "late", "attack"]


def test_a_long_search_does_not_keep_others_waiting(tmp_path: Path) -> None:
    victim = slow_victim(tmp_path)
    with (
        serving_try(tmp_path, "--victims", victim) as client,
        client.stream("POST", "/api/try", json=wish(victim, "morpheus", text=LONG_TEXT)) as long,
    ):
        told = events(long.iter_lines())
        while next(told)["type"] != "step":
            pass
        short = searched(client, wish(victim, "noise"))
        assert short[0] == {"type": "waiting", "others": 1}
        assert [event["type"] for event in short[-2:]] == ["result", "end"]
        assert searched(client, wish(victim, "noise"))[0]["others"] == 1  # the long one still goes on
        assert next(told)["type"] == "step"


def test_a_victim_that_opens_slowly_keeps_nobody_else_waiting(tmp_path: Path) -> None:
    late = late_victim(tmp_path)
    with serving_try(tmp_path, "--victims", late, "--victims", VADER, "--seconds", 30) as client:
        with client.stream("POST", "/api/try", json=wish(late, "noise")) as answer:
            told = events(answer.iter_lines())
            assert [next(told)["type"] for _ in range(2)] == ["waiting", "opening"]
            assert searched(client, wish(VADER, "noise"))[-1] == {"type": "end"}  # while it is opened
        # Its visitor is gone: nothing waits for it, and who wants it next need not begin anew.
        while searched(client, wish(VADER, "noise"))[0]["others"]:
            pass
        (tmp_path / "late.go").touch()
        assert searched(client, wish(late, "noise"))[-1] == {"type": "end"}
    assert (tmp_path / "late.opened").read_text("utf-8") == "x"


def test_time_runs_out_while_a_victim_is_opened(tmp_path: Path) -> None:
    late = late_victim(tmp_path)
    with serving_try(tmp_path, "--victims", late, "--seconds", 1) as client:
        last = searched(client, wish(late, "noise"))[-1]
        assert last["type"] == "error"
        assert "takes more than 1 s to open" in last["error"]
        (tmp_path / "late.go").touch()
        assert searched(client, wish(late, "noise"))[-1] == {"type": "end"}


def test_too_many_are_told_to_come_back(tmp_path: Path) -> None:
    victim = slow_victim(tmp_path)
    with serving_try(tmp_path, "--victims", victim) as client, ExitStack() as open_streams:
        for _ in range(40):
            started = client.stream("POST", "/api/try", json=wish(victim, "morpheus", text=LONG_TEXT))
            assert open_streams.enter_context(started).status_code == 200
        refused = client.post("/api/try", json=wish(victim, "noise"))
        assert (refused.status_code, "too many" in refused.json()["error"]) == (503, True)


def test_a_victim_that_breaks_ends_one_search_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def probabilities(texts): return a_bug\n", "utf-8")
    victim = f"py:{tmp_path / 'broken.py'}:probabilities"
    with serving_try(tmp_path, "--victims", victim, "--victims", VADER) as client:
        for _ in range(2):
            last = searched(client, wish(victim, "noise"))[-1]
            assert last["type"] == "error"
            assert "a_bug" in last["error"]
        assert searched(client, wish(VADER, "noise"))[-1] == {"type": "end"}
