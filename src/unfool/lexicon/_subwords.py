"""fastText's vectors of words it never saw: the mean over their pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from unfool.lexicon._vectors import Matrix

_OFFSET, _PRIME, _MASK = 2_166_136_261, 16_777_619, 0xFFFF_FFFF


@dataclass(frozen=True, eq=False)
class Subwords:
    """The vectors of character n-grams, which share rows by their hash.

    Attributes:
        matrix: One row a hash value.
        shortest: The fewest characters of an n-gram.
        longest: The most.
    """

    matrix: Matrix
    shortest: int
    longest: int

    def vector(self, word: str) -> Matrix | None:
        """Return the vector of a word; None if the word is too short to have an n-gram."""
        rows = [_hash(gram) % len(self.matrix) for gram in self._grams(word)]
        return self.matrix[rows].mean(axis=0, dtype=np.float32) if rows else None

    def _grams(self, word: str) -> Iterator[str]:
        marked = f"<{word}>"
        for length in range(self.shortest, self.longest + 1):
            for start in range(len(marked) - length + 1):
                yield marked[start : start + length]


def _hash(gram: str) -> int:
    """Return the FNV-1a hash with bytes taken as signed, as fastText takes them."""
    value = _OFFSET
    for byte in gram.encode():
        signed = byte if byte < 0x80 else byte | 0xFFFF_FF00
        value = ((value ^ signed) * _PRIME) & _MASK
    return value
