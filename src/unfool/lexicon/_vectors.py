"""Word vectors: a list of words and one row a word."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unfool import resources
from unfool.errors import UserError

Matrix = NDArray[np.float32]


@dataclass(frozen=True, eq=False, repr=False)
class Vectors:
    """Word vectors.

    Attributes:
        words: The vocabulary, most frequent first where the source orders it so.
        matrix: One row of float32 a word.
        name: The expression that rebuilds this object.
        index: The row of each word.
    """

    words: Sequence[str]
    matrix: Matrix
    name: str = "Vectors(...)"
    index: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        index = {word: row for row, word in enumerate(self.words)}
        if not len(index) == len(self.words) == len(self.matrix):
            raise ValueError(
                f"{len(self.words)} words ({len(index)} distinct) do not fit {len(self.matrix)} vectors"
            )
        object.__setattr__(self, "index", index)

    def __repr__(self) -> str:
        return self.name

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def save(self, folder: Path) -> None:
        """Write the words and the matrix into an existing folder."""
        (folder / "words.json").write_text(json.dumps(list(self.words)), encoding="utf-8")
        np.save(folder / "vectors.npy", self.matrix)

    @classmethod
    def load(cls, folder: Path, name: str | None = None) -> Vectors:
        """Open what `save` wrote; the matrix stays on disk and is mapped into memory."""
        words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        matrix = np.load(folder / "vectors.npy", mmap_mode="r")
        return cls(words, matrix, name or f"Vectors.load(Path({str(folder)!r}))")


def parse_vectors(lines: Iterable[str]) -> Vectors:
    """Read the usual text form: a word and its numbers on each line, after a line of counts or none."""
    words: list[str] = []
    rows: list[Matrix] = []
    for line in lines:
        word, numbers = line.rstrip("\n").split(" ", 1)
        if not rows and " " not in numbers:  # "33860 300": how many rows and columns follow
            continue
        words.append(word)
        rows.append(np.fromstring(numbers, dtype=np.float32, sep=" "))
    return Vectors(words, np.stack(rows))


_loading = threading.Lock()


def glove(dim: int = 50) -> Vectors:
    """Return GloVe vectors: 400,000 words in 50 dimensions, or the 33,860 commonest in 300."""
    with _loading:
        return _glove(dim)


@cache
def _glove(dim: int) -> Vectors:
    if dim == 50:
        import pyarrow.parquet as parquet

        folder = resources.get("glove-6b-50d")
        words = parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
        return Vectors(words, np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r"), "glove(50)")
    if dim == 300:
        source = resources.get("glove-840b-300d")

        def build(folder: Path) -> None:
            with source.open(encoding="utf-8") as lines:
                parse_vectors(lines).save(folder)

        ready = source.parent.with_name(f"{source.parent.name}-arrays")
        return Vectors.load(resources.build_once(ready, build), "glove(300)")
    raise UserError(f"there are no GloVe vectors of {dim} dimensions; use 50 or 300")
