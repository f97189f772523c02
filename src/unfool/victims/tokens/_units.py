"""Rows of units, and of tokens: each chunk of text is encoded once, and a changed word changes one chunk.

A text is a row of units (see `UnitStore`); a variant is that row with one unit changed. Rows are told apart by a
sum of per-place hashes, so that the key of a variant comes from its base's in one step, for thousands at once.
Token rows are the same spelt out on the host: what a worker ships to the process that has the net.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.text import UNCHANGED, Text, Variants
from unfool.victims.tokens._bases import Base, Bases
from unfool.victims.tokens._unit_store import NO_SPLICE, PAD_UNIT, Encoder, Ints, Keys, Name, UnitStore, Whole, mix


class UnitRows(NamedTuple):
    """Rows of units as arrays: row k is base ``which[k]`` with ``new[k]`` at ``place[k]`` (none if negative)."""

    flat: Ints
    starts: Ints
    widths: Ints
    seconds: Ints
    which: Ints
    place: Ints
    new: Ints
    lengths: Ints
    keys: Keys


class UnitTable:
    """Turns what samples ask into rows of units."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._bases = Bases(encoder)

    @property
    def store(self) -> UnitStore:
        """The units themselves."""
        return self._bases.store

    def rows(self, asked: Sequence[Variants]) -> UnitRows:
        """Encode everything several samples ask, in order."""
        self._bases.make_room()
        self._bases.ensure(text for variants in asked for text in variants.bases)
        bases: list[Base] = []
        which: list[int] = []
        place: list[int] = []
        names: list[Name] = []
        without: list[int] = []
        for variants in asked:
            first = len(bases)
            bases += self._bases.of(variants.bases)
            which += [first + w for w in variants.which]
            for w, position, word in zip(variants.which, variants.positions, variants.words, strict=True):
                spot = None if position == UNCHANGED else bases[first + w].spots[position]
                if spot:
                    at, before, after, _ = spot
                    if not word and self._bases.can_lack(bases[first + w], spot):
                        without.append(len(names))
                    place.append(at)
                    names.append(before + word + after if word else "")
                else:
                    place.append(-1)
                    names.append("")
        self.store.learn(names)
        new = list(map(self.store.ids.__getitem__, names))
        for row in without:
            new[row] = PAD_UNIT
        self._give_own_bases(asked, bases, which, place, new)
        rows = self._arrays(bases, which, place, new)
        return self._recode_overlong_pairs(rows, bases, asked)

    def _give_own_bases(
        self,
        asked: Sequence[Variants],
        bases: list[Base],
        which: list[int],
        place: list[int],
        new: list[int],
    ) -> None:
        """Give rows that cannot be spliced from their base a base of their own."""
        rest: list[tuple[int, Text]] = []
        start = 0
        for variants in asked:
            stop = start + len(variants)
            if NO_SPLICE in new[start:stop]:
                for row in range(start, stop):
                    if new[row] == NO_SPLICE:
                        new[row], place[row] = PAD_UNIT, -1
                        if variants.positions[row - start] != UNCHANGED:
                            rest.append((row, variants[row - start]))
            start = stop
        texts = [text for _, text in rest]
        self._bases.ensure(texts)
        for number, (row, _) in enumerate(rest, start=len(bases)):
            which[row] = number
        bases += self._bases.of(texts)

    def _arrays(self, bases: list[Base], which: list[int], place: list[int], new: list[int]) -> UnitRows:
        store = self.store
        widths = np.array([len(base.units) for base in bases], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(widths)[:-1]]) if bases else widths
        flat = np.concatenate([base.units for base in bases]) if bases else widths
        t, p, n = (np.array(column, dtype=np.int64) for column in (which, place, new))
        changed = p >= 0
        spot = np.where(changed, p, 0)
        old = np.where(changed, flat[starts[t] + spot], PAD_UNIT)
        lengths = np.array([base.tokens for base in bases], dtype=np.int64)[t]
        lengths = lengths + store.counts[n] - store.counts[old]
        keys = np.array([base.key for base in bases], dtype=np.uint64)[t]
        moved = mix(store.hashes[n], spot) - mix(store.hashes[old], spot)
        keys = keys + np.where(changed, moved, np.uint64(0))
        lacking = np.flatnonzero(changed & (n == PAD_UNIT))
        if len(lacking):
            keys[lacking] = self._keys_without(bases, flat, starts, widths)[starts[t] + spot][lacking]
        seconds = np.array([base.second for base in bases], dtype=np.int64)
        return UnitRows(flat, starts, widths, seconds, t, p, n, lengths, keys)

    def _keys_without(self, bases: list[Base], flat: Ints, starts: Ints, widths: Ints) -> Keys:
        """Return for each unit its base's key without it: those behind it stand one place before."""
        at = np.arange(len(flat)) - np.repeat(starts, widths)
        here = mix(self.store.hashes[flat], at)
        moved = np.cumsum(mix(self.store.hashes[flat], at - 1) - here, dtype=np.uint64)
        all_moved = np.repeat(moved[starts + widths - 1], widths)
        keys = np.repeat(np.array([base.key for base in bases], dtype=np.uint64), widths)
        return np.asarray(keys - here + all_moved - moved)

    def _recode_overlong_pairs(self, rows: UnitRows, bases: list[Base], asked: Sequence[Variants]) -> UnitRows:
        """A pair that is too long is cut in ways only its tokenizer knows; a single text just loses its end."""
        room = self._encoder.max_length - len(self._encoder.suffix)
        overlong = np.flatnonzero((rows.lengths > room) & (rows.seconds[rows.which] < rows.widths[rows.which]))
        if not len(overlong):
            return rows
        ends = np.cumsum([len(variants) for variants in asked])
        which, place, new = (column.tolist() for column in (rows.which, rows.place, rows.new))
        groups = np.searchsorted(ends, overlong, side="right").tolist()
        texts = [
            asked[group][row - (int(ends[group - 1]) if group else 0)]
            for row, group in zip(overlong.tolist(), groups, strict=True)
        ]
        wholes = self._encoder.whole([text.strings for text in texts])
        for row, text, whole in zip(overlong.tolist(), texts, wholes, strict=True):
            which[row], place[row], new[row] = len(bases), -1, PAD_UNIT
            bases.append(self._bases.from_whole(text, whole))
        return self._arrays(bases, which, place, new)


class TokenRows(NamedTuple):
    """Whole token rows end to end; ``seconds`` says where a pair's second text starts, or where the row ends."""

    tokens: NDArray[np.int32]
    lengths: NDArray[np.int64]
    seconds: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: Sequence[TokenRows]) -> TokenRows:
        """Put the rows of several into one."""
        return cls(*map(np.concatenate, zip(*parts, strict=True)))

    def part(self, start: int, stop: int) -> TokenRows:
        """Return the rows from one number up to another."""
        before, inside = self.lengths[:start].sum(), self.lengths[start:stop].sum()
        return TokenRows(self.tokens[before : before + inside], self.lengths[start:stop], self.seconds[start:stop])


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
        store.tokens[stretches(store.starts[units], store.counts[units])] for units in (rows.flat, new)
    )
    source = np.concatenate([bases, changes, np.array(encoder.suffix, dtype=np.int32)])
    room = encoder.max_length - len(encoder.suffix)
    head = np.minimum(cut - start, room)
    middle = np.minimum(added, room - head)
    tail = np.minimum(end - resumed, room - head - middle)
    closing = np.full_like(head, len(encoder.suffix))
    froms = [start, len(bases) + np.cumsum(added) - added, resumed, np.full_like(head, len(bases) + len(changes))]
    lengths = np.stack([head, middle, tail, closing], axis=1)
    tokens = source[stretches(np.stack(froms, axis=1).ravel(), lengths.ravel())]
    content = head + middle + tail
    second, paired = rows.seconds[which], rows.seconds[which] < rows.widths[which]
    before = begins[np.where(paired, first + second, first)] - start
    before += np.where((place >= 0) & (place < second), added - (resumed - cut), 0)
    seconds = np.where(paired, np.minimum(before, content), content + closing)
    return TokenRows(tokens, content + closing, seconds)


def stretches(starts: Ints, lengths: Ints) -> Ints:
    """Return the numbers from each start on, as many as its length says, end to end."""
    ends = np.cumsum(lengths)
    shifts = np.repeat(starts - (ends - lengths), lengths)
    return shifts + np.arange(len(shifts))
