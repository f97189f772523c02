"""Success against how confident the wrong answer must be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.made_outcomes import outcome

from unfool.engine import Outcome, Status, Verdict
from unfool.errors import UserError
from unfool.runs import Run
from unfool_papers.analysis import success_by_confidence

# Gold label 0: wrong at 0.55, wrong at 0.95, wrong at 0.7, still right, and one the victim had wrong before.
OUTCOMES = [
    outcome(number=0, after=Verdict(1, 0.55)),
    outcome(number=1, after=Verdict(1, 0.95)),
    outcome(number=2, after=Verdict(2, 0.7), status=Status.FAILED),
    outcome(number=3, after=Verdict(0, 0.99), status=Status.FAILED),
    outcome(number=4, after=Verdict(1, 0.99), status=Status.SKIPPED),
]


def kept(folder: Path, outcomes: Sequence[Outcome], confidence: float, target: int | None = None) -> Run:
    with Run.create(folder, {"goal": {"target": target, "confidence": confidence}}) as run:
        for each in outcomes:
            run.record(each)
        run.finish()
    return Run.open(folder)


def test_a_wrong_answer_counts_up_to_its_confidence() -> None:
    rows = success_by_confidence(OUTCOMES, thresholds=(0.5, 0.6, 0.7, 0.9, 0.96)).rows
    assert [(row["count"], row["of"]) for row in rows] == [(3, 4), (2, 4), (2, 4), (1, 4), (0, 4)]


def test_a_text_that_breaks_a_rule_counts_at_no_confidence() -> None:
    over = outcome(after=Verdict(1, 0.95), status=Status.FAILED, reason="over the edit budget")
    rows = success_by_confidence([over, outcome(after=Verdict(1, 0.95))], thresholds=(0.5, 0.9)).rows
    assert [(row["count"], row["of"]) for row in rows] == [(1, 2), (1, 2)]


def test_a_threshold_is_read_from_the_run_that_aims_at_it(tmp_path: Path) -> None:
    low = kept(tmp_path / "low", [outcome(after=Verdict(1, 0.55))], 0.5)
    high = kept(tmp_path / "high", [outcome(after=Verdict(1, 0.92))], 0.9)
    named: dict[str, Run | list[Run]] = {"both": [high, low], "low": low}
    figure = success_by_confidence(named, thresholds=(0.5, 0.7, 0.9, 0.95))
    found = {(row["attack"], row["confidence"]): (row["count"], row["goal"], row["bound"]) for row in figure.rows}
    assert found == {
        ("both", 0.5): (1, 0.5, False),
        ("both", 0.7): (1, 0.9, False),
        ("both", 0.9): (1, 0.9, False),
        ("both", 0.95): (0, 0.9, True),
        ("low", 0.5): (1, 0.5, False),
        ("low", 0.7): (0, 0.5, True),
        ("low", 0.9): (0, 0.5, True),
        ("low", 0.95): (0, 0.5, True),
    }


def test_with_a_target_only_the_target_counts(tmp_path: Path) -> None:
    aimed = [
        outcome(number=0, after=Verdict(1, 0.95), status=Status.FAILED),
        outcome(number=1, after=Verdict(2, 0.7)),
    ]
    run = kept(tmp_path / "run", aimed, 0.5, target=2)
    assert [row["count"] for row in success_by_confidence(run, thresholds=(0.5, 0.6, 0.8)).rows] == [1, 1, 0]


def test_what_is_rounded_up_to_the_goal_did_not_reach_it(tmp_path: Path) -> None:
    run = kept(tmp_path / "run", [outcome(after=Verdict(1, 0.9), status=Status.FAILED)], 0.9)
    assert [row["count"] for row in success_by_confidence(run, thresholds=(0.9,)).rows] == [0]


def test_a_run_that_attacked_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="'Key' attacked no text"):
        success_by_confidence({"Key": [outcome(status=Status.SKIPPED)]})
    with pytest.raises(UserError, match="'attack' attacked no text"):
        success_by_confidence([])
