"""Agreement and strengths, held against published figures and other people's packages."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unfool.rating import agreement, no_scale, strengths

NONE = np.nan
# Krippendorff, Computing Krippendorff's alpha-reliability (2011), section E: four observers, twelve units.
FOUR_OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NONE, NONE, NONE],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NONE, 3],
        [NONE, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NONE],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NONE],
    ]
)
TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
# American League East, 1987, as in Agresti, Categorical Data Analysis: how often the row's team beat the column's.
SEASON = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ],
    np.float64,
)


def counts_of(ratings: np.ndarray, values: int = 5) -> np.ndarray:
    return np.array([[float((unit == value).sum()) for value in range(1, values + 1)] for unit in ratings.T])


def test_alpha_of_the_published_example() -> None:
    counts = counts_of(FOUR_OBSERVERS)
    assert agreement(counts) == pytest.approx(0.743, abs=5e-4)
    assert agreement(counts, ordered=True) == pytest.approx(0.815, abs=5e-4)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=2, max_size=15), st.booleans())
def test_alpha_is_that_of_another_package(rows: list[list[int]], ordered: bool) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    counts = np.array(rows, np.float64)
    if len(np.flatnonzero(counts[counts.sum(axis=1) >= 2].sum(axis=0))) < 2:
        assert agreement(counts, ordered=ordered) is None
        return
    level = "ordinal" if ordered else "nominal"
    theirs = krippendorff.alpha(value_counts=counts, level_of_measurement=level)
    assert agreement(counts, ordered=ordered) == pytest.approx(theirs, abs=1e-9)


def test_strengths_of_the_published_season() -> None:
    found = strengths(SEASON)
    told = [round(math.log(strength / found[-1]), 2) for strength in found]
    assert dict(zip(TEAMS, told, strict=True)) == {
        "Milwaukee": 1.58, "Detroit": 1.44, "Toronto": 1.29, "New York": 1.25,
        "Boston": 1.11, "Cleveland": 0.68, "Baltimore": 0.0,
    }  # fmt: skip


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 6).flatmap(lambda n: st.lists(st.integers(1, 20), min_size=n * n, max_size=n * n)))
def test_strengths_are_those_of_another_package(flat: list[int]) -> None:
    choix = pytest.importorskip("choix")
    n = math.isqrt(len(flat))
    won = np.array(flat, np.float64).reshape(n, n)
    np.fill_diagonal(won, 0)
    theirs = np.exp(choix.ilsr_pairwise_dense(won))
    assert strengths(won) == pytest.approx(theirs / theirs.max(), abs=1e-6)


def test_where_the_likeliest_strength_is_a_limit() -> None:
    never_wins = np.array([[0.0, 5.0], [0.0, 0.0]])
    assert strengths(never_wins).tolist() == [1, 0]
    assert no_scale(never_wins, "ab") == "a won every vote against b: no finite strength"
    # Of the two that beat the third, one was preferred twice as often.
    two_above = np.array([[0, 6, 4], [3, 0, 4], [0, 0, 0]], np.float64)
    assert strengths(two_above) == pytest.approx([1, 0.5, 0])
    assert no_scale(two_above, "abc") == "a, b won every vote against c: no finite strength"


def test_methods_that_never_met_have_no_common_strengths() -> None:
    apart = np.array([[0, 1, 0, 0], [2, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]], np.float64)
    assert np.isnan(strengths(apart)).all()
    assert no_scale(apart, "abcd") == "a, b and c, d are never compared: no scale holds them all"
    # Nobody knows which of two is stronger that only ever beat a third.
    both_beat_c = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], np.float64)
    assert np.isnan(strengths(both_beat_c)).tolist() == [True, True, False]


@settings(deadline=None, max_examples=50)
@given(st.integers(2, 6).flatmap(lambda n: st.lists(st.integers(0, 3), min_size=n * n, max_size=n * n)))
def test_sparse_votes_have_the_likeliest_strengths_or_a_reason(flat: list[int]) -> None:
    n = math.isqrt(len(flat))
    won = np.array(flat, np.float64).reshape(n, n)
    np.fill_diagonal(won, 0)
    found = strengths(won)
    if not no_scale(won, "abcdef"[:n]):  # then each method wins as often as its strength says
        chance = found[:, None] / (found[:, None] + found[None, :])
        assert won.sum(axis=1) == pytest.approx(((won + won.T) * chance).sum(axis=1), abs=1e-6)
    many = strengths(np.stack([won, won.T + 1]))
    assert np.allclose(many[0], found, atol=1e-6, equal_nan=True)
