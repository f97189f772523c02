"""Units: encodings of chunks of text, each kept once, found by name or by content."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unfool.text import Text

Ints = NDArray[np.int64]
Keys = NDArray[np.uint64]

PAD_UNIT, PREFIX_UNIT, MIDDLE_UNIT = 0, 1, 2
NO_SPLICE = -1
"""Stands for a unit that must not be spliced: its text is encoded whole."""
_LONE_SPACE = re.compile(r"(?<=\S) (?=\S)")
_READ_AS_SPACE = "\u2581\ufffd"
"""What SentencePiece's own normaliser takes for spaces, though Unicode does not."""


class AtEdge(NamedTuple):
    """The name of a chunk with white space at its edge: the first or last of a text."""

    chunk: str


Name = str | AtEdge
"""What a unit is found by: the chunk it encodes, with the space before it if the tokenizer marks that."""


class Whole(NamedTuple):
    """A whole text encoded at once, without the closing tokens; the second field starts at ``second``."""

    tokens: list[int]
    second: int | None


class Encoder(Protocol):
    """How a model's tokenizer works, as far as splicing needs to know."""

    splices: bool
    """Whether encoding breaks at lone spaces; if not, every text is encoded whole."""
    lead: str
    """What stands before a chunk that is not the first: the space, if the tokenizer marks it."""
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


class UnitStore:
    """The units as growing arrays: where each one's tokens start, how many there are, and a hash of them.

    Chunks with the same tokens are the same unit, so texts the model cannot tell apart are the same row.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.generation = 0
        self.reset()

    def reset(self) -> None:
        """Forget every unit; numbers given before mean nothing any more."""
        self.ids: dict[Name, int] = {"": NO_SPLICE}
        self._by_tokens: dict[bytes, int] = {}
        self.generation += 1
        self.tokens: NDArray[np.int32] = np.zeros(1024, dtype=np.int32)
        self.starts, self.counts = np.zeros(256, dtype=np.int64), np.zeros(256, dtype=np.int64)
        self.hashes: Keys = np.zeros(256, dtype=np.uint64)
        self.units = self.used = 0
        for special in ((), self._encoder.prefix, self._encoder.middle):
            self.add(special, shared=False)

    def learn(self, names: Iterable[Name]) -> None:
        """Encode the chunks whose names are new, all in one call of the tokenizer."""
        unknown = set(names).difference(self.ids)
        if not unknown:
            return
        sound = [name for name in unknown if _can_splice(name)]
        self.ids.update(dict.fromkeys(unknown, NO_SPLICE))
        bare = [name.chunk if isinstance(name, AtEdge) else name for name in sound]
        for name, tokens in zip(sound, self._encoder.pieces(bare) if bare else [], strict=True):
            self.ids[name] = self.add(tokens)

    def add(self, tokens: Sequence[int], shared: bool = True) -> int:
        """Return the unit with these tokens; one of its own where not ``shared``."""
        content = np.array(tokens, dtype=np.int32)
        digest = content.tobytes()
        if shared and digest in self._by_tokens:
            return self._by_tokens[digest]
        unit, end = self.units, self.used + len(content)
        while end > len(self.tokens):
            self.tokens = np.concatenate([self.tokens, np.zeros_like(self.tokens)])
        if unit == len(self.starts):
            self.starts, self.counts = (np.concatenate([a, np.zeros_like(a)]) for a in (self.starts, self.counts))
            self.hashes = np.concatenate([self.hashes, np.zeros_like(self.hashes)])
        self.tokens[self.used : end] = content
        self.starts[unit], self.counts[unit] = self.used, len(content)
        name = digest if shared else b"special %d" % unit
        self.hashes[unit] = int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "little")
        self.units, self.used = unit + 1, end
        if shared:
            self._by_tokens[digest] = unit
        return unit


def mix(hashes: Keys, places: Ints) -> Keys:
    """Scatter (unit, place) over 64 bits, so that sums over a row collide only by chance."""
    with np.errstate(over="ignore"):
        x = hashes + (places.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)), dtype=np.uint64)


def _can_splice(name: str | AtEdge) -> bool:
    """Whether a unit keeps its borders wherever it stands: no lone space inside, sound characters at both edges."""
    at_edge = isinstance(name, AtEdge)
    chunk = (name.chunk if isinstance(name, AtEdge) else name).removeprefix(" ")
    if _LONE_SPACE.search(chunk):
        return False
    core = chunk.strip()
    if not core:
        return at_edge
    return (at_edge or core == chunk) and _sound_edge(core[0]) and _sound_edge(core[-1])


def never_splices(text: Text) -> bool:
    """Whether a gap gives the text a chunk with an unsound edge, told without cutting it; False where unsure."""
    joined = "".join(text.words)
    if "" in text.words or joined.split() != [joined]:
        return False
    firsts = {field.start + number for number, field in enumerate(text.fields)}
    return any(_opens_badly(gap) for number, gap in enumerate(text.gaps) if number not in firsts)


@lru_cache(maxsize=65_536)
def _opens_badly(gap: str) -> bool:
    """Whether a chunk that starts in a gap, behind a word and a lone space, has an unsound first character."""
    return len(gap) > 1 and gap[0] == " " and not gap[1].isspace() and not _sound_edge(gap[1])


@lru_cache(maxsize=4096)
def _sound_edge(character: str) -> bool:
    """Whether no normaliser turns this character into white space, nothing, or part of its neighbour."""
    if character.isascii():
        return character.isprintable() and character != " "
    if character in _READ_AS_SPACE or unicodedata.category(character)[0] in "MCZ":
        return False
    return not any(map(str.isspace, unicodedata.normalize("NFKC", character)))
