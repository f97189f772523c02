"""Token rows from kept pieces: each chunk of text is encoded once, and a changed word changes one chunk.

A *unit* is the encoding of a chunk (see `unfool.text.Chunks`). A text is a row of units; a variant is that row
with one unit changed. Rows are told apart by a sum of per-place hashes, so that the key of a variant comes from its
base's in one step, for thousands at once. Chunks with the same tokens are the same unit, so texts the model cannot
tell apart share a key and are asked once.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unfool.text import UNCHANGED, Text, Variants

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

PAD_UNIT, PREFIX_UNIT, MIDDLE_UNIT = 0, 1, 2
_NO_SPLICE = -1
_EDGE_SPACE = "\0"
_NOTHING = "\0\0"
_MAX_TOKENS = 4_000_000
_MAX_BASES = 8192
_LONE_SPACE = re.compile(r"(?<=\S) (?=\S)")


class Whole(NamedTuple):
    """A whole text encoded at once, without the closing tokens; the second field starts at ``second``."""

    tokens: list[int]
    second: int | None


class Encoder(Protocol):
    """How a model's tokenizer works, as far as splicing needs to know."""

    splices: bool
    """Whether encoding breaks at lone spaces; where it does not, every text is encoded whole."""
    lead: str
    """What stands before a chunk that is not the first: the space, where the tokenizer marks it."""
    prefix: tuple[int, ...]
    middle: tuple[int, ...]
    suffix: tuple[int, ...]
    max_length: int

    @property
    def vocabulary(self) -> Sequence[str]:
        """Whole words that are tokens, without marks, in order of their ids."""
        ...

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Encode chunks, each by itself, no special tokens."""
        ...

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Encode rendered texts as the tokenizer does it, cut to the longest length."""
        ...


class _Base(NamedTuple):
    text: Text
    units: Ints
    second: int
    tokens: int
    key: np.uint64
    heads: tuple[tuple[int, str, str] | None, ...]
    """For each word: its place in the row and what stands around it; None where splicing cannot be trusted."""


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
    """Keeps units and turns what samples ask into rows of them."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._reset()

    def _reset(self) -> None:
        self._ids: dict[str, int] = {"": _NO_SPLICE, _NOTHING: PAD_UNIT}
        self._by_tokens: dict[bytes, int] = {}
        self._bases: dict[int, _Base] = {}
        self.generation = getattr(self, "generation", 0) + 1
        self.tokens: NDArray[np.int32] = np.zeros(1024, dtype=np.int32)
        self.starts, self.counts = np.zeros(256, dtype=np.int64), np.zeros(256, dtype=np.int64)
        self._hashes: Keys = np.zeros(256, dtype=np.uint64)
        self.units = self.used = 0
        for special in ((), self._encoder.prefix, self._encoder.middle):
            self._add(list(special), shared=False)

    def rows(self, asked: Sequence[Variants]) -> UnitRows:
        """Encode everything several samples ask, in order."""
        if self.used > _MAX_TOKENS:
            self._reset()
        if len(self._bases) > _MAX_BASES:
            self._bases.clear()
        self._learn_bases(asked)
        bases: list[_Base] = []
        which: list[int] = []
        place: list[int] = []
        names: list[str] = []
        for variants in asked:
            first = len(bases)
            bases += map(self._base, variants.bases)
            for w, position, word in zip(variants.which, variants.positions, variants.words, strict=True):
                head = None if position == UNCHANGED else bases[first + w].heads[position]
                which.append(first + w)
                place.append(head[0] if head else -1)
                names.append((head[1] + word + head[2] if word else self._gone(head)) if head else "")
        self._learn(names)
        new = list(map(self._ids.__getitem__, names))
        self._encode_the_rest(asked, bases, which, place, new)
        rows = self._arrays(bases, which, place, new)
        return self._recode_overlong_pairs(rows, bases, asked)

    def _gone(self, head: tuple[int, str, str]) -> str:
        """Name the unit a deleted word leaves: nothing, where the word was a later chunk all by itself."""
        place, before, after = head
        alone = before == self._encoder.lead and not after and (place > 1 if self._encoder.lead else place > 0)
        return _NOTHING if alone else ""

    def _encode_the_rest(
        self,
        asked: Sequence[Variants],
        bases: list[_Base],
        which: list[int],
        place: list[int],
        new: list[int],
    ) -> None:
        """Give rows that cannot be spliced from their base a base of their own."""
        start = 0
        for variants in asked:
            stop = start + len(variants)
            if _NO_SPLICE in new[start:stop]:
                for row in range(start, stop):
                    if new[row] == _NO_SPLICE:
                        new[row], place[row] = PAD_UNIT, -1
                        if variants.positions[row - start] != UNCHANGED:
                            which[row] = len(bases)
                            bases.append(self._base(variants[row - start]))
            start = stop

    def _arrays(self, bases: list[_Base], which: list[int], place: list[int], new: list[int]) -> UnitRows:
        widths = np.array([len(base.units) for base in bases], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(widths)[:-1]]) if bases else widths
        flat = np.concatenate([base.units for base in bases]) if bases else widths
        t, p, n = (np.array(column, dtype=np.int64) for column in (which, place, new))
        changed = p >= 0
        spot = np.where(changed, p, 0)
        old = np.where(changed, flat[starts[t] + spot], PAD_UNIT)
        lengths = np.array([base.tokens for base in bases], dtype=np.int64)[t]
        lengths = lengths + self.counts[n] - self.counts[old]
        keys = np.array([base.key for base in bases], dtype=np.uint64)[t]
        moved = _mix(self._hashes[n], spot) - _mix(self._hashes[old], spot)
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
        for row in overlong.tolist():
            group = int(np.searchsorted(ends, row, side="right"))
            text = asked[group][row - (int(ends[group - 1]) if group else 0)]
            which[row], place[row], new[row] = len(bases), -1, PAD_UNIT
            bases.append(self._whole(text))
        return self._arrays(bases, which, place, new)

    def _base(self, text: Text) -> _Base:
        known = self._bases.get(id(text))
        if known is not None and known.text is text:
            return known
        base = self._spliced(text) if self._encoder.splices else None
        base = self._bases[id(text)] = base or self._whole(text)
        return base

    def _spliced(self, text: Text) -> _Base | None:
        chunks = text.chunks
        names, heads = self._unit_names(text)
        self._learn(names)
        ids = [self._ids[name] for name in names]
        if _NO_SPLICE in ids:
            return None
        row = [PREFIX_UNIT]
        second = len(ids) + 2
        for number, start in enumerate(chunks.field_starts):
            stop = chunks.field_starts[number + 1] if number + 1 < len(chunks.field_starts) else len(ids)
            if number:
                row.append(MIDDLE_UNIT)
                second = len(row)
            row += ids[start:stop]
        units = np.array(row, dtype=np.int64)
        places: list[tuple[int, str, str] | None] = []
        for place, head in zip(chunks.places, heads, strict=True):
            if place is None or head is None:
                places.append(None)
            else:
                offset = sum(start <= place.chunk for start in chunks.field_starts)
                places.append((place.chunk + offset, *head))
        return self._made(text, units, second, tuple(places))

    def _unit_names(self, text: Text) -> tuple[list[str], list[tuple[str, str] | None]]:
        """Name the units of a text: a later chunk has its space, one with white space at its edge a mark."""
        chunks, lead = text.chunks, self._encoder.lead
        firsts = set(chunks.field_starts)
        names = []
        for number, chunk in enumerate(chunks.strings):
            mark = _EDGE_SPACE if chunk[:1].isspace() or chunk[-1:].isspace() or not chunk else ""
            names.append(mark + chunk if number in firsts else mark + lead + chunk)
        heads: list[tuple[str, str] | None] = []
        for place in chunks.places:
            if place is None or names[place.chunk][0] == _EDGE_SPACE:
                heads.append(None)
            else:
                start = "" if place.chunk in firsts else lead
                heads.append((start + place.before, place.after))
        return names, heads

    def _whole(self, text: Text) -> _Base:
        (whole,) = self._encoder.whole([text.strings])
        cut = len(whole.tokens) if whole.second is None else whole.second
        halves = [self._add(whole.tokens[:cut]), self._add(whole.tokens[cut:])]
        units = np.array(halves[: 1 if whole.second is None else 2], dtype=np.int64)
        return self._made(text, units, 1, (None,) * len(text))

    def _made(self, text: Text, units: Ints, second: int, heads: tuple[tuple[int, str, str] | None, ...]) -> _Base:
        key = np.sum(_mix(self._hashes[units], np.arange(len(units))), dtype=np.uint64)
        return _Base(text, units, second, int(self.counts[units].sum()), key, heads)

    def _learn_bases(self, asked: Sequence[Variants]) -> None:
        """Encode the new chunks of all bases together: one call of the tokenizer, not one a text."""
        if self._encoder.splices:
            texts = (text for variants in asked for text in variants.bases if id(text) not in self._bases)
            self._learn([name for text in texts for name in self._unit_names(text)[0]])

    def _learn(self, names: Sequence[str]) -> None:
        unknown = set(names).difference(self._ids)
        sound = [name for name in unknown if _can_splice(name)]
        self._ids.update(dict.fromkeys(unknown, _NO_SPLICE))
        bare = [name.removeprefix(_EDGE_SPACE) for name in sound]
        for name, tokens in zip(sound, self._encoder.pieces(bare) if bare else [], strict=True):
            self._ids[name] = self._add(tokens)

    def _add(self, tokens: Sequence[int], shared: bool = True) -> int:
        content = np.array(tokens, dtype=np.int32)
        digest = content.tobytes()
        if shared and digest in self._by_tokens:
            return self._by_tokens[digest]
        unit, end = self.units, self.used + len(content)
        while end > len(self.tokens):
            self.tokens = np.concatenate([self.tokens, np.zeros_like(self.tokens)])
        if unit == len(self.starts):
            self.starts, self.counts = (np.concatenate([a, np.zeros_like(a)]) for a in (self.starts, self.counts))
            self._hashes = np.concatenate([self._hashes, np.zeros_like(self._hashes)])
        self.tokens[self.used : end] = content
        self.starts[unit], self.counts[unit] = self.used, len(content)
        name = digest if shared else b"special %d" % unit
        self._hashes[unit] = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")
        self.units, self.used = unit + 1, end
        if shared:
            self._by_tokens[digest] = unit
        return unit


def _can_splice(name: str) -> bool:
    """Whether a unit's string keeps its borders: no lone space inside, sound characters at both edges."""
    marked = name.startswith(_EDGE_SPACE)
    chunk = name.removeprefix(_EDGE_SPACE).removeprefix(" ")
    if _LONE_SPACE.search(chunk):
        return False
    core = chunk.strip()
    if not core:
        return marked
    return (marked or core == chunk) and _sound_edge(core[0]) and _sound_edge(core[-1])


@lru_cache(maxsize=4096)
def _sound_edge(character: str) -> bool:
    """Whether no normaliser turns this character into white space, nothing, or part of its neighbour."""
    if character.isascii():
        return character.isprintable() and character != " "
    normal = unicodedata.normalize("NFKC", character)
    return unicodedata.category(character)[0] not in "MCZ" and not any(map(str.isspace, normal))


def _mix(hashes: Keys, places: NDArray[np.int64]) -> Keys:
    """Scatter (unit, place) over 64 bits, so that sums over a row collide only by chance."""
    with np.errstate(over="ignore"):
        x = hashes + (places.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)), dtype=np.uint64)
