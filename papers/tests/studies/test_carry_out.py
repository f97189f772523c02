"""A tiny study, whole, killed and resumed, and what the command says."""

from __future__ import annotations

import json
import math
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import REVIEWS, fetch_or_skip, lines, surroundings, unfool
from tests.preloaded import Process

from unfool.errors import UserError
from unfool_papers.analysis import Figure
from unfool_papers.study import carry_out
from unfool_papers.study.claim import Claim, Figures
from unfool_papers.study.plan import LATER, Part, Plan, Section, Study, Work
from unfool_papers.study.row import Row

TINY = """
import os, sys, time

from unfool_papers.study import carry_out
from unfool_papers.study.claim import Claim
from unfool_papers.study.plan import Part, Plan, Section, Study, Table
from unfool_papers.study.row import Reported, Row
from unfool.victims.vader import labels, probabilities


def sleepy(texts):
    time.sleep(float(os.environ["PAUSE"]) if texts != [""] else 0)
    return probabilities(texts)


DATA = sys.argv[1] if len(sys.argv) > 1 else ""
BARE = Row(9, "", "py:tiny:sleepy", DATA, n=8, reported=(Reported(50, "Table 1"),))
ROWS = tuple(BARE._replace(attack=f"random:trials={n}") for n in (30, 3)) + (BARE._replace(attack="jsma"),)


def claims(figures):
    records = {r["attack"]: r for r in figures._records.values()}
    if len(records) == 2:
        yield Claim(9, "more trials fool more", "VADER", [figures.term(a, r) for a, r in records.items()])


def look(work):
    work.say(f"looked at {len(work.runs)} runs")
    return Section(tables=[Table("Runs", ["run"], [[name] for name in work.runs])], notes=["a note"])


STUDY = Study("tiny", 9, "A tiny study", "It tries little.", {
    "smoke": Plan(ROWS, claims, (Part("A look", look), Part("A fall", lambda work: 1 / 0)), differs="Tiny.")
})

if __name__ == "__main__":
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    done = carry_out(STUDY, "smoke", out=sys.argv[2], device="cpu", workers=workers, say=print, progress=False)
    print(done.found.verdicts)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    fetch_or_skip("counter-fitted")
    (tmp_path / "tiny.py").write_text(TINY)
    return tmp_path


def start(place: Path, out: str, pause: float, workers: int = 1) -> Process:
    return Process(place / "tiny.py", [str(REVIEWS), out, str(workers)], place, surroundings({"PAUSE": str(pause)}))


def finish(place: Path, out: str, workers: int = 1) -> tuple[str, dict[str, Any]]:
    process = start(place, out, 0, workers)
    said, problem = process.communicate(timeout=120)
    assert process.returncode == 0, problem
    return said, json.loads((place / out / "results.json").read_text())


def without_times(results: dict[str, Any]) -> dict[str, Any]:
    rows = [{k: v for k, v in row.items() if k not in ("seconds", "device")} for row in results["rows"]]
    return results | {"rows": rows}


def test_killed_and_called_again_it_ends_the_same(place: Path) -> None:
    said, whole = finish(place, "whole")
    killed = start(place, "killed", 0.05)
    second = place / "killed" / "runs"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and killed.poll() is None:
        if any(lines(file) for file in second.glob("random_trials=3_*/outcomes.jsonl")):
            break
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=15)
    assert not (place / "killed" / "results.json").exists()
    (first,) = second.glob("random_trials=30_*/outcomes.jsonl")
    before = first.stat().st_mtime_ns
    _, resumed = finish(place, "killed", workers=2)
    assert first.stat().st_mtime_ns == before
    assert without_times(resumed) == without_times(whole)
    assert [row["n"] for row in whole["rows"]] == [8, 8]
    # What fails is told, and keeps nothing else from being done.
    assert set(whole["problems"]) == {f"jsma on py:tiny:sleepy, {REVIEWS}", "A fall"}
    assert "ZeroDivisionError" in whole["problems"]["A fall"]
    assert "looked at 2 runs" in said
    (claim,) = whole["claims"]
    assert claim["verdict"] in ("holds", "cannot be told")
    page = (place / "whole" / "study.md").read_text()
    assert f"- **{claim['verdict']}**: more trials fool more (VADER): random:trials=30: " in page
    assert "| 50 (Table 1) |" in page
    assert "**A small one.** Tiny." in page
    assert "## A look\n\n**Runs**" in page
    assert "- A fall: ZeroDivisionError" in page
    assert (place / "whole" / "figures" / "attacks.svg").read_text().startswith("<svg")


def no_claims(figures: Figures) -> list[Claim]:
    return []


def never(work: Work) -> Section:
    raise AssertionError("time was up")


@pytest.mark.parametrize("workers", [1, 2])
def test_when_time_is_up_nothing_is_begun_and_all_that_is_left_is_named(tmp_path: Path, workers: int) -> None:
    row = Row(9, "pwws", "py:nowhere:nothing", str(REVIEWS))
    study = Study("tiny", 9, "Tiny", "", {"smoke": Plan((row,), no_claims, (Part("A look", never),))})
    done = carry_out(study, "smoke", out=tmp_path, device="cpu", workers=workers, minutes=0)
    assert done.found.problems == {row.name: LATER, "A look": LATER}
    assert f"- A look: {LATER}" in done.page.read_text()
    never_up: dict[str, Any] = {"device": "cpu", "workers": workers, "minutes": math.inf}
    problems = carry_out(study, "smoke", out=tmp_path, **never_up).found.problems
    assert "nowhere" in problems[row.name]
    assert "time was up" in problems["A look"]


def forgetful(texts: list[str]) -> list[list[float]]:
    """A victim that at times gives no answer about films."""
    if any(os.environ["FORGETS"] in text.split() for text in texts):
        raise RuntimeError("what was that?")
    return [[1.0, 0.0] for _ in texts]


def test_texts_without_a_result_are_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch_or_skip("counter-fitted")
    row = Row(9, "random:trials=3", f"py:{__name__}:forgetful", str(REVIEWS), n=20)
    study = Study("tiny", 9, "Tiny", "", {"smoke": Plan((row,), no_claims)})
    told = []
    for word in ("film", "nothing-like-it"):
        monkeypatch.setenv("FORGETS", word)
        (record,) = carry_out(study, "smoke", out=tmp_path, device="cpu", progress=False).found.records
        told.append((record["errors"] > 0, record["n"]))
    assert told[0][0]
    assert told[1] == (False, 20)


def dotted(marks: int) -> Figure:
    rows = [{"x": place, "kind": "a dot"} for place in range(marks)]
    chart = {"mark": "point", "encoding": {"x": {"field": "x", "type": "quantitative"}}}
    return Figure(f"dots-{marks}", "Dots", "Dots in a row.", rows, chart)


def test_one_part_is_done_alone(tmp_path: Path) -> None:
    row = Row(9, "random", "zoo:NB@nowhere", "nowhere", n=2)
    parts = Part("A look", lambda work: Section(notes=["seen"])), Part("Another", never)
    study = Study("tiny", 9, "Tiny", "", {"smoke": Plan((row,), no_claims, parts)})
    found = carry_out(study, out=tmp_path / "alone", device="cpu", only="a look", progress=False).found
    assert (found.records, list(found.sections), found.problems) == ([], ["A look"], {})
    with pytest.raises(UserError, match="no part 'A louk'; did you mean 'A look'"):
        carry_out(study, out=tmp_path / "none", only="A louk")


def test_results_hold_what_small_figures_show(tmp_path: Path) -> None:
    part = Part("Dots", lambda work: Section(figures=[dotted(3), dotted(1001)]))
    study = Study("tiny", 9, "Tiny", "", {"smoke": Plan((), no_claims, (part,))})
    done = carry_out(study, "smoke", out=tmp_path, device="cpu")
    assert json.loads(done.results.read_text())["figures"] == {"dots-3": dotted(3).rows}


def test_no_study_is_written_over_another(tmp_path: Path) -> None:
    first = Study("tiny", 9, "Tiny", "", {"smoke": Plan((), no_claims), "full": Plan((), no_claims)})
    before = carry_out(first, "smoke", out=tmp_path, device="cpu").results.read_bytes()
    other, changed = first._replace(name="other"), "begun with other settings"
    with pytest.raises(UserError, match=rf"{changed} \(study was tiny, and is now other\)"):
        carry_out(other, "smoke", out=tmp_path, device="cpu")
    with pytest.raises(UserError, match=rf"{changed} \(scale was smoke, and is now full\)"):
        carry_out(first, "full", out=tmp_path, device="cpu")
    assert carry_out(first, "smoke", out=tmp_path, device="cpu").results.read_bytes() == before
    (tmp_path / "study.json").unlink()
    with pytest.raises(UserError, match="holds other files; choose a new or an empty folder"):
        carry_out(first, "smoke", out=tmp_path, device="cpu")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("firebart",), "there is no study 'firebart'; did you mean 'firebert'?"),
        (("cs229", "--scale", "smok"), "there is no scale 'smok'; did you mean 'smoke'?"),
        (("cs229", "--out", "file"), "file is a file, and a folder is needed there; choose another --out"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "file").write_text("")
    done = unfool("study", *arguments, cwd=tmp_path)
    assert (done.code, done.err) == (2, f"error: {said}\n")
