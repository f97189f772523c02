"""How the classical models read a text: cleaned, split at blanks, each word looked up in one dictionary."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unfool.lexicon import Vectors, glove

Ids = NDArray[np.int64]

UNKNOWN = "unk"
"""GloVe's own word for the words it does not have."""

_DROPPED = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code).isspace()))
_SPACE = re.compile(r"\s")


def clean(text: str) -> list[str]:
    """Return a text's words: lower case, line breaks of HTML apart, letters and digits of ASCII only.

    White space of any kind parts words; the paper's rule, made for reviews that have spaces only, would join them.
    """
    lowered = text.lower().replace("<br />", " ")
    if not lowered.isascii():
        lowered = _SPACE.sub(" ", lowered)
    return lowered.encode("ascii", "ignore").translate(None, _DROPPED).decode().split()


@dataclass(frozen=True, eq=False)
class Documents:
    """Texts as word numbers, end to end; text k is ``ids[starts[k]:starts[k + 1]]``."""

    ids: Ids
    starts: Ids

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def lengths(self) -> Ids:
        """Words a text."""
        return np.diff(self.starts)

    @cached_property
    def owners(self) -> Ids:
        """The text each word belongs to."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up a number for each word of a text; row r of ``values``, one number a word, makes column r."""
        columns = [np.bincount(self.owners, row[self.ids], minlength=len(self)) for row in values]
        return np.stack(columns, axis=1)

    def parts(self, size: int) -> Iterator[Documents]:
        """Yield the texts in order, ``size`` at a time."""
        for first in range(0, len(self), size):
            starts = self.starts[first : first + size + 1]
            yield Documents(self.ids[starts[0] : starts[-1]], starts - starts[0])


class Dictionary:
    """The words a classical model knows, `UNKNOWN` among them; every other is read as that."""

    def __init__(self, vectors: Vectors) -> None:
        self.words: Sequence[str] = vectors.words
        self.vectors = vectors.matrix
        self.unknown = vectors.index[UNKNOWN]
        self._index = vectors.index

    def __len__(self) -> int:
        return len(self.words)

    def read(self, texts: Iterable[str]) -> Documents:
        """Clean texts and number their words."""
        ids: list[int] = []
        starts = [0]
        find, unknown = self._index.get, self.unknown
        for text in texts:
            ids += [find(word, unknown) for word in clean(text)]
            starts.append(len(ids))
        return Documents(np.array(ids, dtype=np.int64), np.array(starts, dtype=np.int64))

    @cached_property
    def sha256(self) -> str:
        """A digest of the words in their order: weights fit no other dictionary."""
        return hashlib.sha256("\n".join(self.words).encode()).hexdigest()


def glove_dictionary() -> Dictionary:
    """Return the paper's dictionary, the 400,000 words of GloVe 6B in 50 dimensions."""
    return Dictionary(glove(50))
