"""A SentencePiece unigram model, read and applied without the SentencePiece library.

Of all ways to cut a word into known pieces the likeliest is taken. No piece reaches across a space, so each word is
cut by itself, once.
"""

from __future__ import annotations

import math
import struct
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

_UNKNOWN, _START, _END = 0, 1, 2
_UNKNOWN_PENALTY = 10.0
"""How much less likely an unknown character is than the least likely piece, in log-probability."""
_SPACE = "▁"
_WORDS_KEPT = 1 << 16
# What the model's own normalisation does beyond Unicode's NFKC: these part words.
_GAPS = dict.fromkeys(map(ord, "\t\n\f\r\u1680\u200b\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd"), " ")


class Pieces:
    """Cuts strings into the pieces of a model and numbers them."""

    def __init__(self, pieces: Sequence[tuple[str, float]]) -> None:
        """Take the pieces in order of their numbers with their log-probabilities; unknown, start and end first."""
        self._known = {piece: (number, score) for number, (piece, score) in enumerate(pieces) if number > _END}
        self._longest = max(map(len, self._known))
        self._unknown = min(score for _, score in pieces) - _UNKNOWN_PENALTY
        self._kept = lru_cache(maxsize=_WORDS_KEPT)(self._cut)

    @classmethod
    def load(cls, path: Path) -> Pieces:
        """Read a model's file."""
        pieces = []
        for field, value in _fields(path.read_bytes()):
            if field == 1:
                about = dict(_fields(value))
                pieces.append((about[1].decode(), struct.unpack("<f", about[2])[0]))
        return cls(pieces)

    def encode(self, string: str) -> list[int]:
        """Return the numbers of a string's pieces, between those of the start and the end."""
        words = unicodedata.normalize("NFKC", string.translate(_GAPS)).split(" ")
        numbers = [number for word in words if word for number in self._kept(_SPACE + word)]
        return [_START, *(numbers or [_UNKNOWN]), _END]

    def _cut(self, word: str) -> tuple[int, ...]:
        best = [0.0] + [-math.inf] * len(word)
        last = [(0, _UNKNOWN)] * len(best)
        for start in range(len(word)):
            for stop in range(start + 1, min(start + self._longest, len(word)) + 1):
                known = self._known.get(word[start:stop])
                if known is None and stop > start + 1:
                    continue
                number, score = known or (_UNKNOWN, self._unknown)
                if best[start] + score > best[stop]:
                    best[stop], last[stop] = best[start] + score, (start, number)
        numbers, place = list[int](), len(word)
        while place:
            place, number = last[place]
            numbers.append(number)
        return tuple(reversed(numbers))


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a protocol buffer as their number and bytes; whole numbers are passed over."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        match key & 7:
            case 0:
                _, place = _varint(message, place)
                continue
            case 2:
                size, place = _varint(message, place)
            case 1 | 5 as kind:
                size = 8 if kind == 1 else 4
            case kind:
                raise ValueError(f"a field of the unknown kind {kind}")
        yield key >> 3, message[place : place + size]
        place += size


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (message[place] & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if not message[place - 1] & 0x80:
            return value, place
