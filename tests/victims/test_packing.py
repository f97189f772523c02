"""Rows are cut into batches that fit."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from unfool.victims.tokens import Packing, batches


@given(
    st.lists(st.integers(0, 600), max_size=200),
    st.integers(1, 5000),
    st.integers(0, 5000),
    st.sampled_from([1, 4, 8]),
    st.integers(1, 9),
)
@example([512] * 100, 64, 8, 4, 1)
@example([0], 1, 1, 1, 1)
@example([3, 4], 1, 0, 1, 1)
def test_every_row_is_in_one_batch(
    lengths: list[int], tokens: int, least: int, multiple: int, shortest: int
) -> None:
    rows = np.array(sorted(lengths), dtype=np.int64)
    expected_start = 0
    for span, width in batches(rows, Packing(tokens, least, multiple, shortest)):
        assert span.start == expected_start < span.stop
        expected_start = span.stop
        assert width >= max(rows[span].max(), shortest)
        assert width % multiple == 0
        assert (span.stop - span.start) * width <= tokens or span.stop - span.start == 1
    assert expected_start == len(rows)


def test_batches_are_full() -> None:
    spans = [
        span for span, _ in batches(np.full(1000, 20, dtype=np.int64), Packing(tokens=2048, least=256, multiple=4))
    ]
    assert len(spans) == 10
    assert all(span.stop - span.start == 102 for span in spans[:-1])


def test_rows_of_one_length_are_not_padded_where_there_are_enough() -> None:
    rows = np.repeat([5, 6, 7, 30], [100, 2, 100, 100])
    cut = list(batches(rows, Packing(tokens=4096, least=256)))
    assert [width for _, width in cut] == [5, 7, 30]
    assert [span.stop - span.start for span, _ in cut] == [100, 102, 100]
