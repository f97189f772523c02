"""The ids of a run's samples are a set like any other, in less memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import MutableSet

from hypothesis import given
from hypothesis import strategies as st

from unfool.storage import Ids

NUMBERS = st.one_of(st.integers(-5, 9000), st.integers(-(2**63), 2**63 - 1))


@given(st.lists(st.tuples(st.booleans(), NUMBERS)))
def test_it_is_a_set(steps: list[tuple[bool, int]]) -> None:
    plain = set[int]()
    ids: MutableSet[int] = Ids()
    for add, number in steps:
        for numbers in (plain, ids):
            (numbers.add if add else numbers.discard)(number)
        assert (number in ids) is add
    assert ids == plain
    assert list(ids) == sorted(plain)
    assert len(ids) == len(plain)
    assert Ids(plain) == ids
    assert Ids([7]).isdisjoint(["7"])


def test_rows_take_a_bit_each_and_a_little() -> None:
    tracemalloc.start()
    ids = Ids(range(100_000))
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(ids) == 100_000
    assert taken < 25_000
