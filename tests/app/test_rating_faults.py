"""A crowd at once, a crash in the middle, a full disk: no acknowledged answer is lost, none counts twice."""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.app.serving import Served, served
from tests.rating.conftest import MakeRun

from unfool.rating import Study, new_study

RATERS, ANSWERS, PATIENCE = 50, 10, 60


def test_a_crowd_and_a_crash(make_run: MakeRun, tmp_path: Path) -> None:
    study = tmp_path / "study"
    new_study(study, [make_run("pwws", 12)], "grammar", gold=0, repeats=0, per_item=RATERS // 2, raters=RATERS)
    kept: list[tuple[int, int, str]] = []  # rater, place, answer: appended only once acknowledged

    def rate(rater: int) -> None:
        api = f"/api/{first.tokens[rater]}"
        with first.client() as client:
            insist(client, f"{api}/check", {"choice": 1})
            for place in range(ANSWERS):
                asked = insist(client, api)["asked"]
                assert asked["place"] == place
                answer = str(1 + (rater + place) % 5)
                insist(client, f"{api}/answers", {"place": place, "answer": answer})
                kept.append((rater, place, answer))

    with ThreadPoolExecutor(RATERS) as crowd:
        with served(study) as first:
            done = crowd.map(rate, range(RATERS))
            while len(kept) < RATERS * ANSWERS // 3:
                time.sleep(0.01)
            first.process.kill()
            first.process.wait()
            before = len(kept)
        with served(study, int(first.url.rpartition(":")[2])) as second:
            assert second.tokens == first.tokens
            list(done)
    assert RATERS * ANSWERS // 3 <= before < RATERS * ANSWERS  # the crash came in the middle
    votes = Study.open(study).store.votes()
    stored = Counter((int(vote.rater.removeprefix("rater-")) - 1, vote.answer) for vote in votes)
    assert len(votes) == RATERS * ANSWERS
    assert stored == Counter((rater, answer) for rater, _, answer in kept)
    assert len({(vote.rater, vote.item) for vote in votes}) == len(votes)


def insist(client: httpx.Client, path: str, body: object = None) -> dict[str, dict[str, int]]:
    """Ask again until there is an answer, as a rater does who sees that the server is away."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            answer = client.post(path, json=body) if body else client.get(path)
            assert answer.status_code == 200, answer.text
            found: dict[str, dict[str, int]] = answer.json()
            return found
        except httpx.TransportError:
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    if os.geteuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", place]).returncode:
        pytest.skip("no file system may be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_told_before_the_thanks(small_disk: Path, make_run: MakeRun) -> None:
    study = small_disk / "study"
    new_study(study, [make_run("pwws", 40)], "grammar", gold=0, repeats=0, raters=6).store.close()
    with served(study) as server, server.client() as client:
        api = f"/api/{server.tokens[0]}"
        client.post(f"{api}/check", json={"choice": 1})
        fill(small_disk / "ballast")
        kept, refused = answer_until_refused(server, client, api)
        assert refused.status_code == 507
        assert "could not be stored" in refused.json()["error"]
        (small_disk / "ballast").unlink()
        state = client.get(api).json()
        assert state["answered"] == kept
        given = {"place": state["asked"]["place"], "answer": "3"}
        assert client.post(f"{api}/answers", json=given).status_code == 200
    opened = Study.open(study)
    assert len(opened.store.votes()) == kept + 1
    opened.store.close()


def answer_until_refused(server: Served, client: httpx.Client, api: str) -> tuple[int, httpx.Response]:
    for kept in range(40):
        state = client.get(api)
        if state.status_code != 200:
            return kept, state
        given = {"place": state.json()["asked"]["place"], "answer": "3", "comment": "so " * 300}
        answer = client.post(f"{api}/answers", json=given)
        if answer.status_code != 200:
            return kept, answer
    raise AssertionError("the disk never filled up")


def fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            return
