"""A study killed in the middle ends in the same matrix as one that was not."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, lines, start, unfool

pytestmark = pytest.mark.usefixtures("wordnet")

REPOSITORY = Path(__file__).parents[2]
SLEEPY = "py:tests.transfer.crowd:sleepy"
NAMES = ["py:tests.transfer.crowd:one", SLEEPY, "py:tests.transfer.crowd:two"]


def arguments(out: Path, *more: object) -> list[object]:
    return [
        *("transfer", "--victims", *NAMES, "--data", REVIEWS, "--attack", "greedy-synonym", "--n", 30),
        *("--out", out, "--quiet", *more),
    ]


def kill(out: Path, when: Callable[[], bool], *more: object, pause: str) -> None:
    process = start(*arguments(out, *more), cwd=REPOSITORY, PAUSE=pause)
    deadline = time.monotonic() + 120
    while not when() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    assert process.poll() is None, process.communicate()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("whole") / "study"
    done = unfool(*arguments(out), cwd=REPOSITORY)
    assert (done.code, done.err) == (0, "")
    return (out / "matrix.json").read_bytes()


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_while_it_crafts_and_while_it_fills(whole: bytes, tmp_path: Path, workers: int) -> None:
    out = tmp_path / "study"
    crew = ("--workers", workers)
    kill(out, lambda: any(lines(log) for log in out.glob("sources/*sleepy*/outcomes.jsonl")), *crew, pause="0.02")
    assert not (out / "matrix.json").exists()
    crafted = [*out.glob("sources/*/outcomes.jsonl")]
    kill(out, lambda: any(map(lines, out.glob("cells/*sleepy*"))), *crew, "--resume", pause="0.3")
    assert not (out / "matrix.json").exists()
    assert 0 < sum(map(lines, out.glob("cells/*"))) < 9
    assert crafted
    half = next(iter(out.glob("cells/*sleepy*")))
    half.write_bytes(half.read_bytes() + b'{"source": "py:tests.tra')  # as a kill amid a write leaves it
    done = unfool(*arguments(out, *crew, "--resume"), cwd=REPOSITORY)
    assert (done.code, done.err) == (0, "")
    assert (out / "matrix.json").read_bytes() == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_it_ends_at_once_and_goes_on_later(whole: bytes, tmp_path: Path, workers: int) -> None:
    out = tmp_path / "study"
    process = start(*arguments(out, "--workers", workers), cwd=REPOSITORY, PAUSE="100")
    deadline = time.monotonic() + 120
    while not [*out.glob("sources/*sleepy*/config.json")] and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert said.splitlines() == ["stopped; what was done is kept: give the same command with --resume to go on"]
    done = unfool(*arguments(out, "--workers", workers, "--resume"), cwd=REPOSITORY)
    assert (done.code, done.err) == (0, "")
    assert (out / "matrix.json").read_bytes() == whole
