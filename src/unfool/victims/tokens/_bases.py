"""Bases: texts as rows of units, which variants are made of by changing one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from unfool.text import Text
from unfool.victims.tokens._unit_store import (
    MIDDLE_UNIT,
    NO_SPLICE,
    PREFIX_UNIT,
    AtEdge,
    Encoder,
    Ints,
    Name,
    UnitStore,
    Whole,
    mix,
    never_splices,
)


class Spot(NamedTuple):
    """Where a word lies in its row, and what stands around it in its chunk."""

    place: int
    before: str
    after: str
    alone: bool
    """Whether no other word shares the chunk."""


class Outline(NamedTuple):
    """A text's units by name, before they are encoded."""

    names: list[Name]
    second: int
    """Where a pair's second text will start in the row; not before its end if there is none."""
    spots: tuple[Spot | None, ...]


def outline(text: Text, lead: str) -> Outline:
    """Name the units of a text: a later chunk has the lead in front, one with white space at its edge is marked."""
    chunks = text.chunks
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
    spots: list[Spot | None] = []
    for place in chunks.places:
        if place is None or place.chunk in marked:
            spots.append(None)
            continue
        number, before, after = place
        # The prefix stands before the first field, the middle before the second.
        at = number + 1 if number < second else number + 2
        spots.append(Spot(at, before if number in firsts else lead + before, after, words_in[number] == 1))
    return Outline(names, firsts[1] + 2 if len(firsts) > 1 else len(names) + 2, tuple(spots))


_MAX_TOKENS = 4_000_000
_MAX_NAMES = 500_000
_MAX_BASES = 16_384
_MAX_WORDS = 1 << 20
"""Words of all texts kept. A word and its spot take about 300 bytes."""
_SHARING = 8
"""A word of a text that shares another text's spots takes this many times less memory."""


class Base(NamedTuple):
    """A text as a row of units."""

    text: Text
    units: Ints
    second: int
    """Where a pair's second text starts in the row; not before its end if there is none."""
    tokens: int
    key: int
    spots: tuple[Spot | None, ...]
    """One a word; None if splicing cannot be trusted."""


class _Derived(NamedTuple):
    """A text that is another with units of these names in some places."""

    text: Text
    parent: Base
    places: list[int]
    names: list[str]


class Bases:
    """Makes bases of texts, each once, and keeps them."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.store = UnitStore(encoder)
        self._kept: dict[int, Base] = {}
        self._words = 0

    def make_room(self) -> None:
        """Forget what is kept if it is too much; rows of units made before then mean nothing."""
        if self.store.used > _MAX_TOKENS or len(self.store.ids) > _MAX_NAMES:
            self.store.reset()
            self._forget()
        if len(self._kept) > _MAX_BASES or self._words > _MAX_WORDS:
            self._forget()

    def _forget(self) -> None:
        self._kept.clear()
        self._words = 0

    def _keep(self, text: Text, base: Base, words: int) -> None:
        self._kept[id(text)] = base
        self._words += words

    def of(self, texts: Iterable[Text]) -> list[Base]:
        """Return the bases of texts; `ensure` must have seen them."""
        return [self._kept[id(text)] for text in texts]

    def ensure(self, texts: Iterable[Text]) -> None:
        """Make a base of every text that has none: from the one it came from, by splicing, or whole."""
        missing = {id(text): text for text in texts if not self._knows(text)}
        if self._encoder.splices:
            # Where many texts come from one, as a genetic attack's do, that one is worth encoding for them.
            sources = [text.origin[0] for text in missing.values() if text.origin]
            counts = Counter(map(id, sources))
            self._make({id(s): s for s in sources if counts[id(s)] > 1 and not self._knows(s)})
            self._derive(missing)
        self._make({key: text for key, text in missing.items() if not self._knows(text)})

    def can_lack(self, base: Base, spot: Spot) -> bool:
        """Whether a text without a word is its row without a unit: the word is a chunk, and its field has more."""
        if not spot.alone or spot.after or spot.before != self._encoder.lead:
            return False
        chunks = base.second - 2 if spot.place < base.second else len(base.units) - base.second
        return chunks > 1

    def _knows(self, text: Text) -> bool:
        known = self._kept.get(id(text))
        return known is not None and known.text is text

    def _make(self, fresh: dict[int, Text]) -> None:
        """Make bases by splicing, or whole."""
        hopeful = [key for key, text in fresh.items() if not never_splices(text)] if self._encoder.splices else []
        outlines = {key: outline(fresh[key], self._encoder.lead) for key in hopeful}
        self.store.learn(name for named in outlines.values() for name in named.names)
        rest: list[Text] = []
        for key, text in fresh.items():
            spliced = self._spliced(text, outlines[key]) if key in outlines else None
            if spliced:
                self._keep(text, spliced, len(text))
            else:
                rest.append(text)
        wholes = self._encoder.whole([text.strings for text in rest]) if rest else []
        for text, whole in zip(rest, wholes, strict=True):
            self._keep(text, self.from_whole(text, whole), len(text))

    def _derive(self, texts: dict[int, Text]) -> None:
        """Make bases of texts that came from known ones by changed words: all but those words' units is shared."""
        found: list[_Derived] = []
        for text in texts.values():
            source, positions = text.origin or (None, ())
            parent = self._kept.get(id(source))
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
            base = Base(text, row, parent.second, parent.tokens + more, key, parent.spots)
            self._keep(text, base, len(text) // _SHARING)

    def _spliced(self, text: Text, named: Outline) -> Base | None:
        ids = list(map(self.store.ids.__getitem__, named.names))
        if NO_SPLICE in ids:
            return None
        cut = named.second - 2
        row = [PREFIX_UNIT, *ids[:cut], MIDDLE_UNIT, *ids[cut:]] if cut < len(ids) else [PREFIX_UNIT, *ids]
        return self._made(text, row, named.second, named.spots)

    def from_whole(self, text: Text, whole: Whole) -> Base:
        """Make a base of a text encoded whole; it is not kept."""
        if whole.second is None:
            return self._made(text, [self.store.add(whole.tokens)], 1, (None,) * len(text))
        halves = (whole.tokens[: whole.second], whole.tokens[whole.second :])
        return self._made(text, [self.store.add(half) for half in halves], 1, (None,) * len(text))

    def _made(self, text: Text, row: list[int], second: int, spots: tuple[Spot | None, ...]) -> Base:
        units = np.array(row, dtype=np.int64)
        key = int(np.sum(mix(self.store.hashes[units], np.arange(len(units))), dtype=np.uint64))
        return Base(text, units, second, int(self.store.counts[units].sum()), key, spots)
