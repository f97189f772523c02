"""Two texts in one row of tokens."""

from __future__ import annotations

from unfool.victims._unit_store import Whole


def joined(fields: list[list[int]], max_length: int) -> Whole:
    """Put one text, or a pair end to end, into a row cut to ``max_length``; of a pair the longer text is cut."""
    if len(fields) == 1:
        return Whole(fields[0][:max_length], None)
    first, second = fields
    kept = max(max_length - len(second), min(len(first), max_length // 2))
    first = first[:kept]
    return Whole(first + second[: max_length - len(first)], len(first))
