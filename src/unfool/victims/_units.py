"""Token rows from kept pieces: each chunk of text is encoded once, and a changed word changes one chunk.

A text is a row of units (see `UnitStore`); a variant is that row with one unit changed. Rows are told apart by a
sum of per-place hashes, so that the key of a variant comes from its base's in one step, for thousands at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from unfool.text import UNCHANGED, Text, Variants
from unfool.victims._unit_store import (
    MIDDLE_UNIT,
    NO_SPLICE,
    PAD_UNIT,
    PREFIX_UNIT,
    AtEdge,
    Encoder,
    Ints,
    Keys,
    Name,
    UnitStore,
    Whole,
    mix,
    mix_one,
)

_MAX_TOKENS = 4_000_000
_MAX_NAMES = 500_000
_MAX_BASES = 16_384


class _Spot(NamedTuple):
    """Where a word lies in its row, and what stands around it in its chunk."""

    place: int
    before: str
    after: str
    alone: bool
    """Whether no other word shares the chunk."""


class _Base(NamedTuple):
    text: Text
    units: Ints
    second: int
    tokens: int
    key: int
    spots: tuple[_Spot | None, ...]
    """One a word; None where splicing cannot be trusted."""


class _Outline(NamedTuple):
    """A text's units by name, before they are encoded."""

    names: list[Name]
    second: int
    spots: tuple[_Spot | None, ...]


class UnitRows(NamedTuple):
    """Rows of units as arrays: row k is base ``which[k]`` with ``new[k]`` at ``place[k]`` (none where negative)."""

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
        self.store = UnitStore(encoder)
        self._bases: dict[int, _Base] = {}

    def rows(self, asked: Sequence[Variants]) -> UnitRows:
        """Encode everything several samples ask, in order."""
        if self.store.used > _MAX_TOKENS or len(self.store.ids) > _MAX_NAMES:
            self.store.reset()
            self._bases.clear()
        if len(self._bases) > _MAX_BASES:
            self._bases.clear()
        self._ensure(text for variants in asked for text in variants.bases)
        bases: list[_Base] = []
        which: list[int] = []
        place: list[int] = []
        names: list[Name] = []
        for variants in asked:
            first = len(bases)
            bases += [self._bases[id(text)] for text in variants.bases]
            which += [first + w for w in variants.which]
            for w, position, word in zip(variants.which, variants.positions, variants.words, strict=True):
                spot = None if position == UNCHANGED else bases[first + w].spots[position]
                if spot:
                    at, before, after, _ = spot
                    place.append(at)
                    # A deleted word moves all that follow: such a text gets a row of its own.
                    names.append(before + word + after if word else "")
                else:
                    place.append(-1)
                    names.append("")
        self.store.learn(names)
        new = list(map(self.store.ids.__getitem__, names))
        self._give_own_bases(asked, bases, which, place, new)
        rows = self._arrays(bases, which, place, new)
        return self._recode_overlong_pairs(rows, bases, asked)

    def _give_own_bases(
        self,
        asked: Sequence[Variants],
        bases: list[_Base],
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
        self._ensure(text for _, text in rest)
        for row, text in rest:
            which[row] = len(bases)
            bases.append(self._bases[id(text)])

    def _arrays(self, bases: list[_Base], which: list[int], place: list[int], new: list[int]) -> UnitRows:
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
        seconds = np.array([base.second for base in bases], dtype=np.int64)
        return UnitRows(flat, starts, widths, seconds, t, p, n, lengths, keys)

    def _recode_overlong_pairs(self, rows: UnitRows, bases: list[_Base], asked: Sequence[Variants]) -> UnitRows:
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
            bases.append(self._from_whole(text, whole))
        return self._arrays(bases, which, place, new)

    def _ensure(self, texts: Iterable[Text]) -> None:
        """Make a base of every text that has none: from the one it came from, by splicing, or whole."""
        fresh: dict[int, Text] = {}
        for text in texts:
            known = self._bases.get(id(text))
            if known is None or known.text is not text:
                derived = self._derived(text)
                if derived:
                    self._bases[id(text)] = derived
                else:
                    fresh[id(text)] = text
        outlines = {key: self._outline(text) for key, text in fresh.items()} if self._encoder.splices else {}
        self.store.learn(name for outline in outlines.values() for name in outline.names)
        rest: list[Text] = []
        for key, text in fresh.items():
            spliced = self._spliced(text, outlines[key]) if outlines else None
            if spliced:
                self._bases[key] = spliced
            else:
                rest.append(text)
        wholes = self._encoder.whole([text.strings for text in rest]) if rest else []
        for text, whole in zip(rest, wholes, strict=True):
            self._bases[id(text)] = self._from_whole(text, whole)

    def _derived(self, text: Text) -> _Base | None:
        """A text made from a known one by changing one word shares everything but a unit with it."""
        if text.origin is None:
            return None
        source, position = text.origin
        parent = self._bases.get(id(source))
        if parent is None or parent.text is not source:
            return None
        spot, word = parent.spots[position], text.words[position]
        if spot is None or not spot.alone or not word:
            return None
        name = spot.before + word + spot.after
        self.store.learn([name])
        unit = self.store.ids[name]
        if unit == NO_SPLICE:
            return None
        units, place, store = parent.units.copy(), spot.place, self.store
        old = int(units[place])
        units[place] = unit
        moved = mix_one(int(store.hashes[unit]), place) - mix_one(int(store.hashes[old]), place)
        tokens = parent.tokens + int(store.counts[unit]) - int(store.counts[old])
        return _Base(text, units, parent.second, tokens, (parent.key + moved) % (1 << 64), parent.spots)

    def _outline(self, text: Text) -> _Outline:
        """Name the units of a text: a later chunk has its space, one with white space at its edge is marked."""
        chunks, lead = text.chunks, self._encoder.lead
        firsts = chunks.field_starts
        strings = chunks.strings
        names: list[Name] = [lead + chunk for chunk in strings]
        for number in firsts:
            names[number] = strings[number]
        # Only the first and the last chunk of a field can be empty or have white space at an edge.
        edges = {*firsts, *(start - 1 for start in firsts[1:]), len(strings) - 1}
        marked = [n for n in edges if not strings[n] or strings[n][0].isspace() or strings[n][-1].isspace()]
        for number in marked:
            names[number] = AtEdge(str(names[number]))
        words_in = Counter([place.chunk for place in chunks.places if place])
        second = firsts[1] if len(firsts) > 1 else len(strings)
        spots: list[_Spot | None] = []
        for place in chunks.places:
            if place is None or place.chunk in marked:
                spots.append(None)
                continue
            number, before, after = place
            # The prefix stands before the first field, the middle before the second.
            at = number + 1 if number < second else number + 2
            spots.append(_Spot(at, before if number in firsts else lead + before, after, words_in[number] == 1))
        return _Outline(names, firsts[1] + 2 if len(firsts) > 1 else len(names) + 2, tuple(spots))

    def _spliced(self, text: Text, outline: _Outline) -> _Base | None:
        ids = list(map(self.store.ids.__getitem__, outline.names))
        if NO_SPLICE in ids:
            return None
        cut = outline.second - 2
        row = [PREFIX_UNIT, *ids[:cut], MIDDLE_UNIT, *ids[cut:]] if cut < len(ids) else [PREFIX_UNIT, *ids]
        return self._made(text, row, outline.second, outline.spots)

    def _from_whole(self, text: Text, whole: Whole) -> _Base:
        if whole.second is None:
            return self._made(text, [self.store.add(whole.tokens)], 1, (None,) * len(text))
        halves = (whole.tokens[: whole.second], whole.tokens[whole.second :])
        return self._made(text, [self.store.add(half) for half in halves], 1, (None,) * len(text))

    def _made(self, text: Text, row: list[int], second: int, spots: tuple[_Spot | None, ...]) -> _Base:
        units = np.array(row, dtype=np.int64)
        key = int(np.sum(mix(self.store.hashes[units], np.arange(len(units))), dtype=np.uint64))
        return _Base(text, units, second, int(self.store.counts[units].sum()), key, spots)
