"""Rows are cut into batches that fit."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from unfool.victims._packing import Packing, batches


@given(
    st.lists(st.integers(0, 600), max_size=200),
    st.integers(1, 5000),
    st.sampled_from([1, 4, 8]),
    st.integers(1, 9),
)
@example([512] * 100, 64, 4, 1)
@example([0], 1, 1, 1)
def test_every_row_is_in_one_batch(lengths: list[int], tokens: int, multiple: int, shortest: int) -> None:
    rows = np.array(sorted(lengths), dtype=np.int64)
    expected_start = 0
    for span, width in batches(rows, Packing(tokens, multiple, shortest)):
        assert span.start == expected_start < span.stop
        expected_start = span.stop
        assert width >= max(rows[span].max(), shortest)
        assert width % multiple == 0
        assert (span.stop - span.start) * width <= tokens or span.stop - span.start == 1
    assert expected_start == len(rows)


def test_batches_are_full() -> None:
    spans = [span for span, _ in batches(np.full(1000, 20, dtype=np.int64), Packing(tokens=2048, multiple=4))]
    assert len(spans) == 10
    assert all(span.stop - span.start == 102 for span in spans[:-1])
