"""Answers kept for all samples, and each sample's account of what it asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.engine import Floats, OutOfQueries
from unfool.engine._ledger import Ledger
from unfool.engine._predict import RowCache

PLACES = 8
key_lists = st.lists(st.integers(0, 40) | st.integers(2**64 - 40, 2**64 - 1), max_size=12)


def answers(keys: list[int], step: int = 0) -> Floats:
    return np.array([[key % 1000, step] for key in keys], dtype=np.float32).reshape(-1, 2)


@given(st.lists(key_lists))
def test_the_cache_never_holds_too_much_nor_anything_wrong(steps: list[list[int]]) -> None:
    cache, told = RowCache(PLACES, 2), dict[int, list[float]]()
    for number, keys in enumerate(steps):
        wanted = np.unique(np.array(keys, dtype=np.uint64))
        known, rows = cache.find(wanted)
        expected = [told[key] for key in wanted[known].tolist()]
        np.testing.assert_array_equal(rows, np.array(expected, dtype=np.float32).reshape(-1, 2))
        missing = wanted[~known]
        values = answers(missing.tolist(), number)
        told.update(zip(missing.tolist(), values.tolist(), strict=True))
        cache.keep(missing, values)
        assert len(cache) <= PLACES


def test_what_fits_is_kept_and_a_newer_answer_takes_the_place() -> None:
    cache = RowCache(PLACES, 2)
    keys = np.arange(PLACES, dtype=np.uint64)
    cache.keep(keys, answers(keys.tolist()))
    known, rows = cache.find(keys)
    assert known.all()
    np.testing.assert_array_equal(rows, answers(keys.tolist()))
    newer = np.array([PLACES + 3], dtype=np.uint64)
    cache.keep(newer, answers(newer.tolist()))
    assert cache.find(keys)[0].tolist() == [True, True, True, False, True, True, True, True]
    assert len(cache) == PLACES


def test_a_key_of_zero_is_no_empty_place() -> None:
    cache = RowCache(PLACES, 2)
    zero = np.zeros(1, dtype=np.uint64)
    assert not cache.find(zero)[0].any()
    cache.keep(zero, answers([5]))
    assert cache.find(zero)[1].tolist() == [[5, 0]]


@given(st.lists(key_lists), st.none() | st.integers(0, 30))
def test_the_ledger_counts_distinct_texts_and_repeats_answers(steps: list[list[int]], limit: int | None) -> None:
    ledger, counted = Ledger(limit), set[int]()
    for keys in steps:
        new = set(keys) - counted
        if limit is not None and len(counted) + len(new) > limit:
            with pytest.raises(OutOfQueries):
                ledger.place(keys)
        else:
            placed = ledger.place(keys)
            asked = [keys[number] for number in placed.new]
            assert sorted(asked) == sorted(new)
            np.testing.assert_array_equal(ledger.answer(placed, answers(asked)), answers(keys))
            counted |= new
        assert ledger.queries == len(counted)


@given(st.lists(st.tuples(key_lists, st.booleans())))
def test_texts_without_an_answer_are_not_counted(steps: list[tuple[list[int], bool]]) -> None:
    ledger, counted = Ledger(None), set[int]()
    for keys, answered in steps:
        placed = ledger.place(keys)
        asked = [keys[number] for number in placed.new]
        if answered:
            np.testing.assert_array_equal(ledger.answer(placed, answers(asked)), answers(keys))
            counted |= set(asked)
        else:
            ledger.forget(asked)
        assert ledger.queries == len(counted)
