"""Single samples of a run: by how they ended, by their id."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.end_to_end.command import unfool

from unfool.engine import Failure, Outcome, Status, Verdict
from unfool.runs import Run


@pytest.fixture
def place(tmp_path: Path, outcome: Outcome) -> Path:
    """A folder with a run in which samples ended in every way."""
    wrong = Verdict(0, 0.7)
    unchanged = replace(outcome, perturbed=outcome.original)
    with Run.create(tmp_path / "run", {"labels": ["bad", "good"]}) as run:
        run.record(outcome)
        for id in (1, 2, 3):
            run.record(
                replace(unchanged, id=id, status=Status.FAILED, reason="no edit found", after=outcome.before)
            )
        run.record(replace(unchanged, id=4, status=Status.SKIPPED, before=wrong, after=wrong))
        run.fail(Failure(5, "the victim did not answer"))
        run.finish()
    return tmp_path


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("--status success", "#0 success: good (90%) → bad (60%), 12 queries\n- A good film.\n+ A decent film.\n"),
        ("--id 4", "#4 skipped (the label is good): bad (70%) → bad (70%), 12 queries\n  A good film.\n"),
        ("--status error", "#5 error: the victim did not answer\n"),
        ("--id 5", "#5 error: the victim did not answer\n"),
    ],
)
def test_a_sample_is_shown_alone(place: Path, chosen: str, expected: str) -> None:
    done = unfool("show", "run", *chosen.split(), cwd=place)
    assert (done.code, done.out, done.err) == (0, f"{expected}\n1 of 1 samples\n", "")


def test_as_many_are_shown_as_are_asked_for(place: Path) -> None:
    done = unfool("show", "run", "--status", "failed", "--examples", 2, cwd=place)
    assert [line.split(" failed ")[0] for line in done.out.splitlines() if "→" in line] == ["#1", "#2"]
    assert done.out.endswith("2 of 3 samples\n")


def test_single_samples_speak_json(place: Path) -> None:
    said = json.loads(unfool("show", "run", "--id", 0, "--json", cwd=place).out)
    (sample,) = said["samples"]
    assert (said["run"], sample["status"], sample["label_name_after"]) == ("run", "success", "bad")
    assert sample["perturbed_text"] == "A decent film."
    failed = json.loads(unfool("show", "run", "--status", "error", "--json", cwd=place).out)
    assert failed["samples"] == [{"id": 5, "status": "error", "reason": "the victim did not answer"}]


@pytest.mark.parametrize(
    ("chosen", "told"),
    [("--id 9", "run has no sample 9"), ("--id 0 --status failed", "run has no sample 0 with status failed")],
)
def test_a_sample_that_is_not_there(place: Path, chosen: str, told: str) -> None:
    done = unfool("show", "run", *chosen.split(), cwd=place)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {told}; ids are rows of the data, counted from 0\n"
