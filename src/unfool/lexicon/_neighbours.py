"""The nearest words of every word, computed once and kept as memory-mapped arrays."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unfool import resources
from unfool.errors import UserError
from unfool.lexicon._vectors import Matrix, Vectors, all_vectors, glove

_BLOCK = 512
_DECIMALS = 6
_SLACK = 1e-5  # more than float32 products are ever wrong by


@dataclass(frozen=True, slots=True)
class _Tables:
    units: Vectors  # scaled to length one
    rows: NDArray[np.int32]
    cosines: Matrix


class Neighbours:
    """The nearest words of every word by cosine, nearest first, ties in the order of the vocabulary.

    Words are looked up in lower case. The tables are opened when they are first needed.

    Args:
        folder: Gives the folder that `build` filled.
        name: The expression that rebuilds this object.
    """

    def __init__(self, folder: Callable[[], Path], name: str) -> None:
        self._folder, self._name = folder, name

    def __repr__(self) -> str:
        return self._name

    @cached_property
    def _tables(self) -> _Tables:
        folder = self._folder()
        # Plain arrays over the mapped files: indexing a memmap itself costs several times as much.
        rows = np.asarray(np.load(folder / "rows.npy", mmap_mode="r"))
        cosines = np.asarray(np.load(folder / "cosines.npy", mmap_mode="r"))
        return _Tables(Vectors.load(folder), rows, cosines)

    @classmethod
    def load(cls, folder: Path) -> Neighbours:
        """Return the tables that `build` wrote into a folder."""
        return cls(lambda: folder, f"Neighbours.load(Path({str(folder)!r}))")

    @classmethod
    def build(cls, words: Sequence[str], vectors: Matrix, folder: Path, k: int = 100) -> Neighbours:
        """Find the ``k`` nearest words of each word and keep them in ``folder``, unless it is there already.

        Args:
            words: The vocabulary, in lower case, each word once.
            vectors: One row a word.
            folder: Where to keep the tables; it appears whole or not at all.
            k: How many neighbours to keep.
        """
        resources.build_once(folder, lambda new: _compute(Vectors(words, vectors), new, k))
        return cls.load(folder)

    @property
    def words(self) -> Sequence[str]:
        """The vocabulary."""
        return self._tables.units.words

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word.lower() in self._tables.units.index

    def vector(self, word: str) -> Matrix | None:
        """Return the vector of a word, of length one, or None if the word is unknown."""
        units = self._tables.units
        row = units.index.get(word.lower())
        return None if row is None else units.matrix[row]

    def of(self, word: str, k: int = 50, min_cosine: float = 0.5) -> tuple[list[str], Matrix]:
        """Return the nearest words of a word and their cosines, both empty if the word is unknown.

        Args:
            word: The word, which is never among its neighbours.
            k: How many at most.
            min_cosine: The least cosine a neighbour must have.
        """
        tables = self._tables
        if k > tables.rows.shape[1]:
            raise UserError(
                f"{self!r} keeps {tables.rows.shape[1]} neighbours of a word, fewer than {k}; ask for fewer"
            )
        row = tables.units.index.get(word.lower())
        if row is None:
            return [], np.empty(0, np.float32)
        cosines = tables.cosines[row, :k]
        near = int(np.count_nonzero(cosines >= min_cosine))
        words = tables.units.words
        return [words[i] for i in tables.rows[row, :near].tolist()], cosines[:near].copy()

    def cosine(self, a: str, b: str) -> float | None:
        """Return the cosine of two words, or None if one of them is unknown."""
        units = self._tables.units
        first, second = units.index.get(a.lower()), units.index.get(b.lower())
        if first is None or second is None:
            return None
        return round(float(units.matrix[first].astype(np.float64) @ units.matrix[second]), _DECIMALS)


def _compute(vectors: Vectors, folder: Path, k: int) -> None:
    from rich.console import Console
    from rich.progress import track

    exact = vectors.matrix.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1, keepdims=True)
    exact /= np.where(lengths > 0, lengths, 1)
    units = exact.astype(np.float32)
    count = len(units)
    k = min(k, count - 1)
    rows = np.empty((count, k), np.int32)
    cosines = np.empty((count, k), np.float32)

    def fill(start: int) -> None:
        stop = min(start + _BLOCK, count)
        similar = units[start:stop] @ units.T
        similar[np.arange(stop - start), np.arange(start, stop)] = -np.inf  # itself
        least = np.partition(similar, count - k, axis=1)[:, count - k] - _SLACK
        # The last bits of a float32 product move with the machine and the block. So it only picks those that
        # may be among the nearest; float64, rounded, puts them in the same order everywhere.
        for i, row in enumerate(similar):
            near = np.flatnonzero(row >= least[i])
            values = np.round(exact[near] @ exact[start + i], _DECIMALS)
            best = np.argsort(-values, kind="stable")[:k]
            rows[start + i], cosines[start + i] = near[best], values[best]

    starts = range(0, count, _BLOCK)
    screen = Console(stderr=True)
    if not screen.is_terminal:
        screen.print(f"finding the nearest words of {count:,}, once", highlight=False, soft_wrap=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = pool.map(fill, starts)
        for _ in track(done, "finding nearest words", len(starts), console=screen, disable=not screen.is_terminal):
            pass
    np.save(folder / "rows.npy", rows)
    np.save(folder / "cosines.npy", cosines)
    Vectors(vectors.words, units).save(folder)


@cache
def counter_fitted() -> Neighbours:
    """Return the neighbours among the counter-fitted vectors (Mrkšić et al., 2016): near means same sense.

    On first use they are obtained and the 100 nearest of all 65,713 words are found, which takes a minute
    or two; after that they open at once.
    """

    def build(source: Path, folder: Path) -> None:
        with zipfile.ZipFile(source) as archive, archive.open("counter-fitted-vectors.txt") as stream:
            _compute(all_vectors(stream), folder, k=100)

    return Neighbours(lambda: resources.derived("counter-fitted", "neighbours", build), "counter_fitted()")


@cache
def glove_neighbours() -> Neighbours:
    """Return the neighbours among the 300-dimensional GloVe vectors: near means used alike.

    On first use the 100 nearest of all 33,860 words are found, which takes a minute; after that they open at once.
    """

    def build(_: Path, folder: Path) -> None:
        _compute(glove(300), folder, k=100)

    return Neighbours(lambda: resources.derived("glove-840b-300d", "neighbours", build), "glove_neighbours()")
