"""Word vectors: a list of words and one row a word; GloVe's, and those in the files that others publish."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from unfool import resources
from unfool.errors import UserError

Matrix = NDArray[np.float32]
_BLOCK = 1 << 20
_LONGEST_HEADER = 64
_FASTTEXT_MODEL = (793_712_314).to_bytes(4, "little")

_Rows = dict[bytes, Matrix]


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


@cache
def glove(dim: int) -> Vectors:
    """Return GloVe vectors: 400,000 words in 50 dimensions, or the 33,860 commonest in 300."""
    if dim == 50:
        import pyarrow.parquet as parquet

        folder = resources.get("glove-6b-50d")
        words = parquet.read_table(folder / "glove_6B_index.parquet")["index"].to_pylist()
        return Vectors(words, np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r"), "glove(50)")
    if dim == 300:

        def build(source: Path, folder: Path) -> None:
            with source.open("rb") as file:
                all_vectors(file).save(folder)

        return Vectors.load(resources.derived("glove-840b-300d", "arrays", build), "glove(300)")
    raise UserError(f"there are no GloVe vectors of {dim} dimensions; use 50 or 300")


class _Damaged(Exception):
    """What is wrong with a file, to be told with its name."""


def published_vectors(path: Path, words: Iterable[str]) -> Vectors:
    """Read the vectors of some words from a published file; of any size, since only their rows are held.

    Args:
        path: A ``.bin`` file of word2vec, or a ``.vec`` or ``.txt`` file with a word and its numbers on each
            line, after a line of counts or none; each may be compressed as ``.gz``.
        words: The words wanted; those the file lacks are left out.

    Raises:
        UserError: If the file cannot be read, is damaged, or has none of the words.
    """
    wanted = {word.encode() for word in words}
    read = _reader(path)
    try:
        with _open(path) as file:
            if file.peek(4).startswith(_FASTTEXT_MODEL):
                raise UserError(f"{str(path)!r} is a fastText model, not a list of vectors; give its .vec file")
            rows = read(file, wanted)
        for word, row in rows.items():
            if not np.isfinite(row).all():
                raise _Damaged(f"the vector of {word.decode()!r} holds a number that is not finite")
    except (_Damaged, gzip.BadGzipFile, EOFError, zlib.error) as problem:
        raise UserError(
            f"the word vectors in {str(path)!r} are damaged: {problem}; get the file again"
        ) from problem
    except OSError as problem:
        raise UserError(f"cannot read the word vectors in {str(path)!r}: {problem.strerror}") from problem
    if not rows:
        raise UserError(
            f"{str(path)!r} has a vector for none of the {len(wanted):,} words wanted; is it the right file?"
        )
    return _as_vectors(rows, f"published_vectors(Path({str(path)!r}), words)")


def all_vectors(file: IO[bytes]) -> Vectors:
    """Read all vectors of a file in text form that is known to be whole."""
    return _as_vectors(_read_text(file, None), "Vectors(...)")


def _as_vectors(rows: _Rows, name: str) -> Vectors:
    return Vectors([word.decode() for word in rows], np.stack(list(rows.values())), name)


def _reader(path: Path) -> Callable[[BufferedReader, set[bytes]], _Rows]:
    readers = {".bin": _read_binary, ".vec": _read_text, ".txt": _read_text}
    ending = Path(path.name.removesuffix(".gz")).suffix
    if ending not in readers:
        raise UserError(
            f"cannot tell the format of the word vectors in {str(path)!r}; "
            "its name must end in .bin, .vec or .txt, or in one of these and .gz"
        )
    return readers[ending]


def _open(path: Path) -> BufferedReader:
    # A GzipFile has all of a BufferedReader's methods used here, but no common type says so.
    return cast(BufferedReader, gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _read_binary(file: BufferedReader, wanted: set[bytes]) -> _Rows:
    counts = _counts(file.readline(_LONGEST_HEADER))
    if counts is None:
        raise _Damaged("its first line is not the number of words and of dimensions")
    promised, dimensions = counts
    size = dimensions * np.dtype("<f4").itemsize
    rows: _Rows = {}
    buffer, at = b"", 0
    for number in range(promised):
        space = buffer.find(b" ", at)
        if space < 0 or space + size >= len(buffer):
            buffer, at = buffer[at:] + file.read(_BLOCK + size), 0
            space = buffer.find(b" ")
            if space < 0 or space + size >= len(buffer):
                _ends_early(number, promised)
        word = buffer[at:space].lstrip(b"\n")  # some writers end each vector with a newline, some do not
        at = space + 1 + size
        if word in wanted and word not in rows:
            rows[word] = np.frombuffer(buffer, "<f4", dimensions, space + 1).astype(np.float32)
    if (buffer[at:] + file.read(1)).strip(b"\n"):
        raise _Damaged(f"it goes on after the {promised:,} words it promises")
    return rows


def _read_text(file: IO[bytes], wanted: set[bytes] | None) -> _Rows:
    first = file.readline()
    counts = _counts(first)
    promised, dimensions = counts or (0, len(first.split()) - 1)
    if dimensions < 2:
        raise _Damaged("its first line is neither two counts nor a word and its numbers")
    starts = {word.split(b" ", 1)[0] for word in wanted or ()}
    rows: _Rows = {}
    number = 1
    for number, line in enumerate(file if counts else chain([first], file), start=2 if counts else 1):
        if line.count(b" ") < dimensions:
            raise _Damaged(f"line {number:,} holds fewer than {dimensions} numbers")
        if number > 1 and wanted is not None and line.split(b" ", 1)[0] not in starts:
            continue
        word, *numbers = line.rstrip().rsplit(b" ", dimensions)  # a few published words have spaces inside
        row = _numbers(numbers, number)
        if (wanted is None or word in wanted) and word not in rows:
            rows[word] = row
    if counts and number - 1 < promised:
        _ends_early(number - 1, promised)
    return rows


def _counts(line: bytes) -> tuple[int, int] | None:
    fields = line.split()
    if len(fields) != 2 or not all(field.isdigit() and int(field) for field in fields):
        return None
    words, dimensions = fields
    return int(words), int(dimensions)


def _numbers(numbers: list[bytes], line: int) -> Matrix:
    try:
        return np.array([float(number) for number in numbers], np.float32)
    except ValueError as problem:
        raise _Damaged(f"line {line:,} holds something that is no number ({problem})") from problem


def _ends_early(found: int, promised: int) -> NoReturn:
    raise _Damaged(f"it ends after {found:,} of the {promised:,} words it promises")
