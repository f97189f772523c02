"""What the raters' server takes, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.app.serving import Served, served
from tests.end_to_end.command import unfool
from tests.rating.conftest import MakeRun

from unfool.app import Place
from unfool.rating import Study, new_study, results


@pytest.fixture
def server(make_run: MakeRun, tmp_path: Path) -> Iterator[Served]:
    new_study(tmp_path / "study", [make_run("pwws", 4, 3)], "label", gold=2)
    with served(tmp_path / "study") as found:
        yield found


def test_a_rater_from_link_to_vote(server: Served, tmp_path: Path) -> None:
    api = f"/api/{server.tokens[0]}"
    with server.client() as client:
        page = client.get(f"/r/{server.tokens[0]}")
        assert page.status_code == 200
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["referrer-policy"] == "no-referrer"
        assert "asked" not in client.get(api).json()
        early = client.post(f"{api}/answers", json={"place": 0, "answer": "good"})
        assert (early.status_code, "instructions" in early.json()["error"]) == (409, True)
        assert client.post(f"{api}/check", json={"choice": 1}).json() == {"right": False}
        assert client.post(f"{api}/check", json={"choice": 0}).json() == {"right": True}
        asked = client.get(api).json()["asked"]
        assert [value for value, _ in asked["choices"]] == ["bad", "good"]
        for _ in range(2):  # an answer whose thanks was lost is sent again
            given = {"place": 0, "answer": "good", "comment": "<script>alert(1)</script>\x00"}
            assert client.post(f"{api}/answers", json=given).json() == {"kept": True}
        assert client.get(api).json()["answered"] == 1
        assert client.post(f"{api}/undo", json={"place": 0}).status_code == 200
        assert client.get(api).json()["asked"] == asked
        client.post(f"{api}/answers", json={**given, "answer": "bad"})
    (vote,) = Study.open(tmp_path / "study").store.votes()
    assert (vote.answer, vote.comment) == ("bad", "<script>alert(1)</script>\x00")


def test_nothing_tells_an_original_from_a_changed_text_but_the_text(server: Served) -> None:
    with server.client() as client:
        client.post(f"/api/{server.tokens[1]}/check", json={"choice": 0})
        asked = client.get(f"/api/{server.tokens[1]}").json()["asked"]
    assert asked.keys() == {"place", "texts", "choices"}


def test_a_wrong_link_leads_nowhere(server: Served) -> None:
    with server.client() as client:
        for token in ("", "x", "..%2f..%2fetc", "%00", "é", "' OR 1=1 --", server.tokens[0][:-1]):
            assert client.get(f"/r/{token}").status_code in (403, 404)
            refused = client.get(f"/api/{token}")
            assert refused.status_code in (403, 404)
            assert "asked" not in refused.text


def test_writes_come_from_the_page_itself(server: Served) -> None:
    check = f"/api/{server.tokens[0]}/check"
    with server.client() as client:
        for origin in ("http://evil.example", "null", "", server.url.replace("http", "https") + "0"):
            assert client.post(check, json={"choice": 0}, headers={"origin": origin}).status_code == 403
        del client.headers["origin"]
        assert client.post(check, json={"choice": 0}).status_code == 403
        same = {"origin": server.url}
        form = client.post(check, content='{"choice": 0}', headers={**same, "content-type": "text/plain"})
        assert form.status_code == 415
        assert client.put(check, json={"choice": 0}, headers=same).status_code == 405
        assert client.get(check).status_code == 405
        for host in ("evil.example", "[", "127.0.0.1.evil.example:80"):
            assert client.get(f"/r/{server.tokens[0]}", headers={"host": host}).status_code == 421
        assert not client.get(f"/api/{server.tokens[0]}").json()["ready"]


UNBOUNDED: list[object] = [
    {"place": 0, "answer": "x" * 1001},
    {"place": 0, "answer": "good", "comment": "x" * 1001},
    {"place": -1, "answer": "good"},
    {"place": 2**31, "answer": "good"},
    {"place": "0", "answer": "good"},
    {"place": 0, "answer": "\ud800"},
    {"place": 0, "answer": "good", "more": 1},
    {"place": 0, "answer": ["good"]},
    {"place": 0, "answer": "ugly"},
    {"place": 7, "answer": "good"},
    [],
]


def test_answers_are_bounded(server: Served) -> None:
    api = f"/api/{server.tokens[0]}"
    with server.client() as client:
        client.post(f"{api}/check", json={"choice": 0})
        client.get(api)
        for given in UNBOUNDED:
            headers = {"content-type": "application/json"}
            refused = client.post(f"{api}/answers", content=json.dumps(given), headers=headers)
            assert refused.status_code in (409, 422), given
            assert refused.json().keys() == {"error"}
        assert client.get(api).json()["answered"] == 0


def test_a_flood_is_turned_away(server: Served) -> None:
    with server.client() as client:
        for content in (b" " * 100_000, (b" " * 1000 for _ in range(100))):
            headers = {"content-type": "application/json"}
            flood = client.post(f"/api/{server.tokens[0]}/answers", content=content, headers=headers)
            assert flood.status_code == 413
        assert client.get("/rate.js").status_code == 200
    nested = b"[" * 30_000
    with server.client() as client:
        headers = {"content-type": "application/json"}
        assert client.post(f"/api/{server.tokens[0]}/check", content=nested, headers=headers).status_code in (
            400,
            422,
        )


def test_two_servers_on_one_study_are_refused(server: Served, tmp_path: Path) -> None:
    second = unfool("rate", "serve", "study", "--port", 0, cwd=tmp_path)
    assert second.code == 2
    assert "another process" in second.err


def test_a_taken_port_is_one_line(server: Served, make_run: MakeRun, tmp_path: Path) -> None:
    new_study(tmp_path / "other", [tmp_path / "pwws"], "label", gold=0)
    taken = unfool("rate", "serve", "other", "--port", server.url.rpartition(":")[2], cwd=tmp_path)
    assert taken.code == 2
    assert "choose another --port" in taken.err


def test_it_is_served_to_this_machine_alone() -> None:
    assert Place().is_local
    assert Place("localhost").is_local
    assert Place("::1").is_local
    assert not Place("0.0.0.0").is_local
    assert not Place("example.org").is_local


def test_links_are_printed_again_and_for_more_raters(server: Served, tmp_path: Path) -> None:
    printed = unfool("rate", "links", "study", "--more", 1, "--url", "https://rate.example/", cwd=tmp_path)
    links = printed.out.splitlines()
    assert [link.rpartition("/")[2] for link in links[:-1]] == server.tokens
    assert links[0].startswith("rater-1 https://rate.example/r/")
    with server.client() as client:
        assert client.get(f"/r/{links[-1].rpartition('/')[2]}").status_code == 200
    assert results(Study.open(tmp_path / "study")).votes == 0
