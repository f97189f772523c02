"""Ctrl-C: a message, exit code 130, and nothing that was done is lost."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.end_to_end.command import attack, lines, results, start, unfool
from tests.preloaded import Process

pytestmark = pytest.mark.usefixtures("word_vectors")

SLEEPY = """
import os, time
from unfool.victims.vader import labels, probabilities

def sleepy(texts):
    time.sleep(float(os.environ["PAUSE"]) if texts != [""] else 0)
    return probabilities(texts)
"""
ARGUMENTS = attack("py:victim:sleepy", "random:trials=20", "run", "--in-flight", 1)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "victim.py").write_text(SLEEPY)
    return tmp_path


def interrupt(process: Process, when: Callable[[], bool]) -> tuple[int, str]:
    deadline = time.monotonic() + 60
    while not when() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=15)
    return process.returncode, said


def test_interrupted_in_the_middle(place: Path) -> None:
    log = place / "run" / "outcomes.jsonl"
    process = start(*ARGUMENTS, cwd=place, PAUSE="0.02")
    code, said = interrupt(process, lambda: lines(log) >= 5)
    assert code == 130
    assert said.splitlines() == ["stopped; what was done is kept: give the same command with --resume to go on"]
    assert 5 <= lines(log) < 60
    kept = log.read_bytes().splitlines()
    assert not (place / "run" / "summary.json").exists()
    resumed = unfool(*ARGUMENTS, "--resume", cwd=place, PAUSE="0")
    assert (resumed.code, resumed.err) == (0, "")
    assert set(kept) < set(log.read_bytes().splitlines())
    whole = unfool(*attack("py:victim:sleepy", "random:trials=20", "whole"), cwd=place, PAUSE="0")
    assert whole.code == 0
    assert results(place / "run") == results(place / "whole")


def test_interrupted_while_the_victim_thinks(place: Path) -> None:
    began = time.monotonic()
    process = start(*ARGUMENTS, cwd=place, PAUSE="100")
    code, said = interrupt(process, (place / "run" / "config.json").exists)
    assert code == 130
    assert "stopped" in said
    assert "Traceback" not in said
    assert time.monotonic() - began < 60
