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
    never_splices,
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


class _Derived(NamedTuple):
    """A text that is another with units of these names in some places."""

    text: Text
    parent: _Base
    places: list[int]
    names: list[str]


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
        missing = {id(text): text for text in texts if not self._knows(text)}
        if self._encoder.splices:
            # Where many texts come from one, as a genetic attack's do, that one is worth encoding for them.
            sources = [text.origin[0] for text in missing.values() if text.origin]
            counts = Counter(map(id, sources))
            self._make({id(s): s for s in sources if counts[id(s)] > 1 and not self._knows(s)})
            self._derive(missing)
        self._make({key: text for key, text in missing.items() if not self._knows(text)})

    def _knows(self, text: Text) -> bool:
        known = self._bases.get(id(text))
        return known is not None and known.text is text

    def _make(self, fresh: dict[int, Text]) -> None:
        """Make bases by splicing, or whole."""
        hopeful = [key for key, text in fresh.items() if not never_splices(text)] if self._encoder.splices else []
        outlines = {key: self._outline(fresh[key]) for key in hopeful}
        self.store.learn(name for outline in outlines.values() for name in outline.names)
        rest: list[Text] = []
        for key, text in fresh.items():
            spliced = self._spliced(text, outlines[key]) if key in outlines else None
            if spliced:
                self._bases[key] = spliced
            else:
                rest.append(text)
        wholes = self._encoder.whole([text.strings for text in rest]) if rest else []
        for text, whole in zip(rest, wholes, strict=True):
            self._bases[id(text)] = self._from_whole(text, whole)

    def _derive(self, texts: dict[int, Text]) -> None:
        """Make bases of texts that came from known ones by changed words: all but those words' units is shared."""
        found: list[_Derived] = []
        for text in texts.values():
            source, positions = text.origin or (None, ())
            parent = self._bases.get(id(source))
            if parent is None or parent.text is not source:
                continue
            spots = [spot for spot in map(parent.spots.__getitem__, positions) if spot and spot.alone]
            words = [text.words[position] for position in positions]
            if spots and len(spots) == len(words) and all(words):
                names = [spot.before + word + spot.after for spot, word in zip(spots, words, strict=True)]
                found.append(_Derived(text, parent, [spot.place for spot in spots], names))
        self.store.learn(name for derived in found for name in derived.names)
        ids = self.store.ids
        found = [derived for derived in found if NO_SPLICE not in map(ids.__getitem__, derived.names)]
        if found:
            self._change(found)

    def _change(self, found: list[_Derived]) -> None:
        """Put other units into some places of known bases, and let lengths and keys follow."""
        store = self.store
        rows = [derived.parent.units.copy() for derived in found]
        starts = np.cumsum([0, *(len(derived.places) for derived in found)])
        places = np.array([place for derived in found for place in derived.places], dtype=np.int64)
        new = np.array([store.ids[name] for derived in found for name in derived.names], dtype=np.int64)
        old = np.empty_like(new)
        for row, derived, start, stop in zip(rows, found, starts, starts[1:], strict=False):
            old[start:stop] = row[derived.places]
            row[derived.places] = new[start:stop]
        longer = np.add.reduceat(store.counts[new] - store.counts[old], starts[:-1]).tolist()
        moved = mix(store.hashes[new], places) - mix(store.hashes[old], places)
        turned = np.add.reduceat(moved, starts[:-1]).tolist()
        for (text, parent, _, _), row, more, turn in zip(found, rows, longer, turned, strict=True):
            key = (parent.key + turn) % (1 << 64)
            self._bases[id(text)] = _Base(text, row, parent.second, parent.tokens + more, key, parent.spots)

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
