"""The figures of a run, against values worked out by hand or by others' tables."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.engine import Outcome, Status, Verdict
from unfool.runs import Summary, summarise
from unfool.stats import Rate, wilson


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        # The score intervals of Newcombe (Statistics in Medicine, 1998), to the digits printed there.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_the_share_and_mirrors(counts: tuple[int, int]) -> None:
    successes, n = counts
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n + 1e-12
    assert successes / n - 1e-12 <= high <= 1
    assert wilson(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.fixture
def ten(outcome: Outcome) -> list[Outcome]:
    """Four successes, three failures, three skipped; the last skipped one is right (a targeted attack's)."""
    success, right = replace(outcome, words=10, characters=50), Verdict(1, 0.9)
    failed = replace(outcome, status=Status.FAILED, reason="query budget", after=right)
    skipped = replace(outcome, status=Status.SKIPPED, before=Verdict(0, 0.7), queries=1)
    return [
        replace(success, queries=5),
        replace(success, queries=20, words_changed=2),
        replace(success, queries=21, words_changed=3, characters_changed=10),
        replace(success, queries=300, words_changed=4),
        replace(failed, queries=100),
        replace(failed, queries=1000),
        replace(failed, queries=40, reason="no candidates"),
        skipped,
        skipped,
        replace(skipped, before=right, after=right),
    ]


def test_figures(ten: list[Outcome]) -> None:
    summary = summarise(ten, errors=2, similarity=0.75)
    assert (summary.samples, summary.skipped, summary.attacked, summary.successes) == (10, 3, 7, 4)
    assert summary.failures == {"no candidates": 1, "query budget": 2}
    assert summary.errors == 2
    assert summary.clean_accuracy == Rate(8, 10)
    assert summary.accuracy_under_attack == Rate(4, 10)
    assert summary.success_rate == Rate(4, 7)
    assert summary.words_changed == pytest.approx(25)
    assert summary.characters_changed == pytest.approx(100 * (5 + 5 + 10 + 5) / 50 / 4)
    assert summary.queries_mean == pytest.approx((5 + 20 + 21 + 300 + 100 + 1000 + 40) / 7)
    assert summary.queries_median == 40
    assert summary.success_queries_mean == pytest.approx(86.5)
    assert summary.success_queries_median == 20.5
    assert summary.similarity == 0.75


def test_curve_counts_successes_within_each_budget(ten: list[Outcome]) -> None:
    curve = summarise(ten).curve
    assert [point.queries for point in curve] == [10, 20, 50, 100, 200, 500, 1000]
    assert [point.success_rate * 7 for point in curve] == pytest.approx([1, 2, 3, 3, 3, 4, 4])


def test_figures_of_nothing() -> None:
    summary = summarise([])
    assert summary.success_rate.value is None
    assert str(summary.success_rate) == "–"
    assert summary.queries_median is None
    assert summary.curve == ()


def test_summary_survives_json(ten: list[Outcome]) -> None:
    summary = summarise(ten, errors=1)
    plain = json.loads(json.dumps(summary.to_dict()))
    assert Summary.from_dict(plain) == summary
    assert plain["success_rate"] == {
        "count": 4, "of": 7, "value": 4 / 7, "low": wilson(4, 7)[0], "high": wilson(4, 7)[1],
    }  # fmt: skip
