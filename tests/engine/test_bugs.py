"""A bug in one's own attack or victim: the line it stands in is told, and the whole traceback kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.toys import BagOfWords, labelled, run

import unfool
from unfool.attacks import attack
from unfool.data import from_texts
from unfool.engine import Ask, Failure
from unfool.errors import UserError
from unfool.runs import Run
from unfool.text import Sample, Text
from unfool.victims import callable_victim

FILE = Path(__file__).name
TEXTS = from_texts(["good film", "bad film", "odd film"], ["a", "b", "a"])
LABELS = ("a", "b")


@attack()
async def careless(sample: Sample, ask: Ask) -> Text:
    """Look up what is not there."""
    await ask.predict(sample.text)
    return {"y": sample.text}["x"]


@attack()
async def misled(sample: Sample, ask: Ask) -> Text:
    """Ask in a way that fails inside of unfool."""
    await ask.predict(sample.text.variants([0], ["a", "b"]))
    return sample.text


def line_of(words: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if words in line)


def test_the_line_of_a_bug_is_told() -> None:
    victim = BagOfWords()
    (failure,) = run(victim, labelled(victim, ["a good film"]), careless).values()
    assert isinstance(failure, Failure)
    assert failure.error == f"KeyError: 'x' at {FILE}:{line_of('sample.text}[')} in careless"
    assert "Traceback (most recent call last)" in failure.traceback
    assert not failure.unanswered


def test_it_is_the_users_own_line_not_the_one_of_the_library_it_called() -> None:
    victim = BagOfWords()
    (failure,) = run(victim, labelled(victim, ["a good film"]), misled).values()
    assert isinstance(failure, Failure)
    assert failure.error == f"ValueError: 1 positions for 2 words at {FILE}:{line_of('variants([0]')} in misled"


def test_tracebacks_are_kept_in_the_run_folder_each_bug_once(tmp_path: Path) -> None:
    done = unfool.attack(BagOfWords(), TEXTS, careless, out=tmp_path / "run", progress=False)
    assert done.summary.errors >= 1
    assert all(failure.error.startswith("KeyError: 'x' at ") for failure in done.failures())
    kept = done.tracebacks
    assert kept == tmp_path / "run" / "tracebacks.txt"
    assert kept.read_text().count("Traceback (most recent call last)") == 1
    assert b"traceback" not in (tmp_path / "run" / "failures.jsonl").read_bytes()
    with Run.resume(tmp_path / "run", done.config):
        assert not kept.exists(), "those of a session before are not of this one"
    assert done.tracebacks is None


def test_the_first_bug_is_told_while_the_attack_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unfool.attack(BagOfWords(), TEXTS, careless, out=tmp_path / "run")
    said = capsys.readouterr().err
    assert said.count("no result for sample") == 1
    assert f"KeyError: 'x' at {FILE}:{line_of('sample.text}[')} in careless" in said


def confused(texts: Sequence[str]) -> Any:
    return {"good": [[0.9, 0.1]] * len(texts)}["bad"]


def test_a_victim_with_a_bug_ends_the_run_and_names_the_file_with_the_traceback(tmp_path: Path) -> None:
    victim = callable_victim(confused, labels=LABELS)
    with pytest.raises(UserError) as caught:
        unfool.attack(victim, TEXTS, "key-star", out=tmp_path / "run", progress=False)
    said = str(caught.value)
    place = f"raised KeyError: 'bad' at {FILE}:{line_of('len(texts)}[')} in confused"
    assert said.startswith("the victim gave no answer about any of the 3 samples: ")
    assert f"{place} (the whole traceback: {tmp_path / 'run' / 'tracebacks.txt'})" in said
    assert "in confused" in (tmp_path / "run" / "tracebacks.txt").read_text()
