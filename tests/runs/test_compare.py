"""Two runs compared sample by sample."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.end_to_end.command import unfool

from unfool.engine import Outcome, Status
from unfool.errors import UserError
from unfool.runs import Effort, Run, compare
from unfool.stats import mcnemar

SUCCESS, FAILED, SKIPPED = Status.SUCCESS, Status.FAILED, Status.SKIPPED


def run_of(folder: Path, attack: str, outcomes: Iterable[Outcome]) -> Run:
    with Run.create(folder, {"attack": attack, "seed": 0}) as run:
        for outcome in outcomes:
            run.record(outcome)
    return run


def test_compare(tmp_path: Path, outcome: Outcome) -> None:
    in_a = [SUCCESS, SUCCESS, SUCCESS, FAILED, FAILED, SKIPPED, SUCCESS]
    in_b = [SUCCESS, SUCCESS, FAILED, SUCCESS, FAILED, SUCCESS]
    a = [replace(outcome, id=i, status=s, queries=10 * i, words=10) for i, s in enumerate(in_a)]
    b = [replace(outcome, id=i, status=s, queries=4, words=5) for i, s in enumerate(in_b)]
    result = compare(run_of(tmp_path / "a", "pwws", a), run_of(tmp_path / "b", "list", reversed(b)))
    assert [str(change) for change in result.config] == ['attack: "pwws" → "list"']
    assert (result.samples, result.attacked) == (6, 5)
    assert (result.both, result.only_a, result.only_b, result.neither) == (2, 1, 1, 1)
    assert result.p_value == 1
    assert result.effort_a == Effort(5, 10)
    assert result.effort_b == Effort(4, 20)
    assert result.differing == (2, 3, 5)


def test_the_samples_that_only_one_fooled_are_named(tmp_path: Path, outcome: Outcome) -> None:
    a = [replace(outcome, id=i, status=s) for i, s in enumerate([SUCCESS, SUCCESS, FAILED, FAILED])]
    b = [replace(outcome, id=i, status=s) for i, s in enumerate([SUCCESS, FAILED, SUCCESS, FAILED])]
    settings = {"victim": "py:x:f", "data": "x.csv", "labels": ["0", "1"], "data_labels": ["0", "1"]}
    for name, outcomes in (("a", a), ("b", b)):
        with Run.create(tmp_path / name, {**settings, "attack": "pwws", "seed": 0}) as run:
            for each in outcomes:
                run.record(each)
            run.finish()
    done = unfool("diff", "a", "b", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "Fooled by only one of the two: #1, #2\n" in done.out


def test_runs_without_a_common_success(tmp_path: Path, outcome: Outcome) -> None:
    result = compare(
        run_of(tmp_path / "a", "pwws", [outcome]), run_of(tmp_path / "b", "pwws", [replace(outcome, id=1)])
    )
    assert result.samples == 0
    assert result.effort_a is None
    assert result.p_value == 1


def test_runs_over_different_texts_are_refused(tmp_path: Path, outcome: Outcome) -> None:
    a = run_of(tmp_path / "a", "pwws", [outcome])
    b = run_of(tmp_path / "b", "pwws", [replace(outcome, original=("Another film.",))])
    with pytest.raises(UserError, match="different texts"):
        compare(a, b)


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [(0, 0, 1.0), (1, 0, 1.0), (0, 6, 0.03125), (3, 15, 0.00753784), (8, 9, 1.0)],
)
def test_mcnemar(only_a: int, only_b: int, p: float) -> None:
    assert mcnemar(only_a, only_b) == pytest.approx(p, rel=1e-5)


@settings(deadline=None)  # the first example imports scipy
@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_binomial_test(only_a: int, only_b: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert mcnemar(only_a, only_b) == pytest.approx(expected, rel=1e-9)
