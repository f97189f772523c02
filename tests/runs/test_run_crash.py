"""Killed at any moment and resumed, a run ends in the very files it would have had."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from unfool.engine import Failure, Outcome, Status
from unfool.runs import Run
from unfool.storage import JSON

CONFIG: dict[str, JSON] = {"attack": "pwws", "seed": 0}
FILES = ("config.json", "outcomes.jsonl", "failures.jsonl", "summary.json")


@pytest.fixture(scope="module")
def outcomes(outcome: Outcome) -> list[Outcome]:
    return [
        replace(outcome, id=2, original=("é\u2028\ud800\n",), perturbed=("",)),
        replace(outcome, id=0, status=Status.FAILED, reason="no candidates", queries=3),
        replace(outcome, id=1, status=Status.SKIPPED, label=0),
    ]


@pytest.fixture
def quick_place(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where the system has such, for a test that writes thousands of files."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as place:
        yield Path(place)


def fill(run: Run, outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.id not in run.done:
            run.record(outcome)
    run.fail(Failure(4, "too long"))
    run.fail(Failure(3, "too long"))


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in FILES}


def test_cut_anywhere_and_resumed_the_files_are_the_same(quick_place: Path, outcomes: list[Outcome]) -> None:
    with Run.create(quick_place / "whole", CONFIG) as run:
        fill(run, outcomes)
        run.finish()
    with Run.create(quick_place / "cut", CONFIG) as run:
        fill(run, outcomes)
    log = (quick_place / "cut" / "outcomes.jsonl").read_bytes()
    expected = contents(quick_place / "whole")
    seen_done = set()
    for cut in range(len(log) + 1):
        (quick_place / "cut" / "outcomes.jsonl").write_bytes(log[:cut])
        with Run.resume(quick_place / "cut", CONFIG) as run:
            seen_done.add(len(run.done))
            fill(run, outcomes)
            run.finish()
        assert contents(quick_place / "cut") == expected, f"cut at byte {cut}"
        (quick_place / "cut" / "environment.json").unlink()
    assert seen_done == {0, 1, 2, 3}


@pytest.mark.parametrize("half_written", ["outcomes.jsonl.part", "summary.json.part", "config.json.part"])
def test_killed_while_finishing(tmp_path: Path, outcomes: list[Outcome], half_written: str) -> None:
    for name in ("whole", "killed"):
        with Run.create(tmp_path / name, CONFIG) as run:
            fill(run, outcomes)
            run.finish()
    (tmp_path / "killed" / "summary.json").unlink()
    (tmp_path / "killed" / half_written).write_bytes(b'{"id": 0, "la')
    with Run.resume(tmp_path / "killed", CONFIG) as run:
        fill(run, outcomes)
        run.finish()
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_killed_while_creating(tmp_path: Path, outcomes: list[Outcome]) -> None:
    with Run.create(tmp_path, CONFIG):
        pass
    (tmp_path / "config.json").rename(tmp_path / "config.json.part")
    with Run.create(tmp_path, CONFIG) as run:
        fill(run, outcomes)
        assert run.finish().samples == 3


WRITER = """
import sys
from dataclasses import replace
from itertools import count
from unfool.runs import Run

some = next(Run.open(sys.argv[1]).outcomes())
with Run.resume(sys.argv[1], {"attack": "pwws", "seed": 0}) as run:
    for number in count(1000):
        run.record(replace(some, id=number))
        run.flush()
"""


def test_killed_for_real(tmp_path: Path, outcome: Outcome) -> None:
    with Run.create(tmp_path, CONFIG) as run:
        run.record(outcome)
    log = tmp_path / "outcomes.jsonl"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)])
    deadline = time.monotonic() + 30
    while log.stat().st_size < 100_000 and time.monotonic() < deadline:
        time.sleep(0.01)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    with Run.resume(tmp_path, CONFIG) as run:
        kept = len(run)
        assert kept > 100
        run.record(replace(outcome, id=1))
        assert run.finish().samples == kept + 1
    assert [each.id for each in run.outcomes()] == [0, 1, *range(1000, 1000 + kept - 1)]
    sessions = json.loads((tmp_path / "environment.json").read_bytes())["sessions"]
    assert [session["seconds"] is None for session in sessions] == [False, True, False]
