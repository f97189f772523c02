"""Texts as bases with one stretch of tokens changed: what a net needs that works out no more than the change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.victims.tokens._unit_store import Ints, UnitStore
from unfool.victims.tokens._units import UnitRows, stretches


class Edits(NamedTuple):
    """Text k is base ``base[k]`` with new tokens in place of those from ``first[k]`` up to ``last[k]``."""

    tokens: NDArray[np.int32]
    """Of all bases, end to end."""
    starts: Ints
    """Where each base starts among them."""
    lengths: Ints
    """How many tokens each base has."""
    base: Ints
    first: Ints
    last: Ints
    new: NDArray[np.int32]
    """The new tokens of all texts."""
    new_starts: Ints
    counts: Ints
    """How many of them each text has."""

    @property
    def text_lengths(self) -> Ints:
        """How many tokens each text has."""
        return self.lengths[self.base] - (self.last - self.first) + self.counts

    @property
    def behind(self) -> Ints:
        """How many tokens of its base stand behind each change."""
        return self.lengths[self.base] - self.last

    def groups(self, tokens: int) -> Iterator[NDArray[np.intp]]:
        """Yield the numbers of the texts in groups, those of one base together, with about so many base tokens."""
        group = (np.cumsum(self.lengths) // tokens)[self.base]
        for number in np.unique(group):
            yield np.flatnonzero(group == number)

    def take(self, numbers: NDArray[np.intp]) -> Edits:
        """Return some of the texts, with no more bases than they need."""
        used, base = np.unique(self.base[numbers], return_inverse=True)
        return self._replace(
            starts=self.starts[used],
            lengths=self.lengths[used],
            base=base,
            first=self.first[numbers],
            last=self.last[numbers],
            new_starts=self.new_starts[numbers],
            counts=self.counts[numbers],
        )

    def mirrored(self) -> Edits:
        """Return the same texts as they are read from their end."""
        whole, lengths = len(self.tokens), self.lengths[self.base]
        return self._replace(
            tokens=self.tokens[::-1],
            starts=whole - self.starts - self.lengths,
            first=lengths - self.last,
            last=lengths - self.first,
            new=self.new[::-1],
            new_starts=len(self.new) - self.new_starts - self.counts,
        )


def edits_of(rows: UnitRows, chosen: NDArray[np.intp], store: UnitStore) -> Edits:
    """Return some rows as edits of their bases, without closing tokens and not cut to any length.

    A change takes in no token that stays: where a word is glued to a mark, the mark is none of it. A row that is
    its base changes nothing at the base's end.
    """
    used, base = np.unique(rows.which[chosen], return_inverse=True)
    widths = rows.widths[used]
    units = rows.flat[stretches(rows.starts[used], widths)]
    unit_starts = np.cumsum(widths) - widths
    sizes = store.counts[units]
    ends = np.cumsum(sizes)
    begins = ends - sizes
    starts = begins[unit_starts]
    lengths = ends[unit_starts + widths - 1] - starts
    place, unit = rows.place[chosen], rows.new[chosen]
    spot = unit_starts[base] + np.maximum(place, 0)
    first, last = (np.where(place < 0, lengths[base], edge[spot] - starts[base]) for edge in (begins, ends))
    counts = np.where(place < 0, 0, store.counts[unit])
    new = store.tokens[stretches(store.starts[unit], counts)]
    tokens = store.tokens[stretches(store.starts[units], sizes)]
    made = Edits(tokens, starts, lengths, base, first, last, new, np.cumsum(counts) - counts, counts)
    return _without_what_stays(_without_what_stays(made).mirrored()).mirrored()


def _without_what_stays(edits: Edits) -> Edits:
    """Let each change begin at the first token that differs."""
    first, new_starts, counts = edits.first.copy(), edits.new_starts.copy(), edits.counts.copy()
    rows = np.flatnonzero((first < edits.last) & (counts > 0))
    while len(rows):
        old = edits.tokens[edits.starts[edits.base[rows]] + first[rows]]
        rows = rows[old == edits.new[new_starts[rows]]]
        first[rows] += 1
        new_starts[rows] += 1
        counts[rows] -= 1
        rows = rows[(first[rows] < edits.last[rows]) & (counts[rows] > 0)]
    return edits._replace(first=first, new_starts=new_starts, counts=counts)
