"""Token rows end to end, on the host: what a worker ships to the process that keeps its victim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.victims.tokens._unit_store import Encoder, Ints, UnitStore, Whole
from unfool.victims.tokens._units import UnitRows


class TokenRows(NamedTuple):
    """Whole token rows end to end; ``seconds`` says where a pair's second text starts, else where the row ends."""

    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    seconds: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: Sequence[TokenRows]) -> TokenRows:
        """Put the rows of several into one."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))


def token_rows(texts: Sequence[Whole], suffix: Sequence[int]) -> TokenRows:
    """Put whole encodings end to end, each with the closing tokens."""
    lengths = np.array([len(text.tokens) + len(suffix) for text in texts], dtype=np.int64)
    tokens = np.fromiter((token for text in texts for token in (*text.tokens, *suffix)), np.int32, lengths.sum())
    seconds = [length if text.second is None else text.second for text, length in zip(texts, lengths, strict=True)]
    return TokenRows(tokens, lengths, np.array(seconds, dtype=np.int64))


def spliced_rows(rows: UnitRows, chosen: NDArray[np.intp], store: UnitStore, encoder: Encoder) -> TokenRows:
    """Return the tokens of some rows, closing ones included, cut to the longest length.

    Each base is spelt out once. A row is what its base has before the changed unit, the new unit, what the base has
    behind it, and the closing tokens: four stretches, copied for all rows in one step.
    """
    counts = store.counts[rows.flat]
    ends = np.cumsum(counts)
    begins = ends - counts
    which, place, new = rows.which[chosen], rows.place[chosen], rows.new[chosen]
    first = rows.starts[which]
    start, end = begins[first], ends[first + rows.widths[which] - 1]
    spot = first + np.maximum(place, 0)
    cut, resumed = (np.where(place < 0, end, edge[spot]) for edge in (begins, ends))
    added = store.counts[new]
    bases, changes = (
        store.tokens[_stretches(store.starts[units], store.counts[units])] for units in (rows.flat, new)
    )
    source = np.concatenate([bases, changes, np.array(encoder.suffix, dtype=np.int32)])
    room = encoder.max_length - len(encoder.suffix)
    head = np.minimum(cut - start, room)
    middle = np.minimum(added, room - head)
    tail = np.minimum(end - resumed, room - head - middle)
    closing = np.full_like(head, len(encoder.suffix))
    froms = [start, len(bases) + np.cumsum(added) - added, resumed, np.full_like(head, len(bases) + len(changes))]
    lengths = np.stack([head, middle, tail, closing], axis=1)
    tokens = source[_stretches(np.stack(froms, axis=1).ravel(), lengths.ravel())]
    content = head + middle + tail
    second, paired = rows.seconds[which], rows.seconds[which] < rows.widths[which]
    before = begins[np.where(paired, first + second, first)] - start
    before += np.where((place >= 0) & (place < second), added - (resumed - cut), 0)
    seconds = np.where(paired, np.minimum(before, content), content + closing)
    return TokenRows(tokens, content + closing, seconds)


def _stretches(starts: Ints, lengths: Ints) -> Ints:
    """Return the numbers from each start on, as many as its length says, end to end."""
    ends = np.cumsum(lengths)
    shifts = np.repeat(starts - (ends - lengths), lengths)
    return shifts + np.arange(len(shifts))
