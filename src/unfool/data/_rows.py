"""Rows as a file gives them, before their labels are read."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from unfool.data._text_file import fault
from unfool.errors import UserError

_CHUNK = 8192
_MOST_BAD = 1_000_000


Unit = Literal["line", "row"]


class BadRow(NamedTuple):
    """A row that cannot be used, and why.

    Attributes:
        line: Its line in the file, or its row number in parquet, on the hub and in shards; from 1.
        reason: What is wrong with it.
        unit: Which of the two ``line`` is.
        split: The split it is in; None for a file, which has none.
    """

    line: int
    reason: str
    unit: Unit = "line"
    split: str | None = None

    def __str__(self) -> str:
        """Say where it is, and why."""
        within = f" of the split {self.split!r}" if self.split else ""
        return f"{self.unit} {self.line}{within}: {self.reason}"


@dataclass(frozen=True)
class Rows:
    """The wanted columns of a file.

    Attributes:
        texts: One array of strings for each text column; null if a row has no text.
        labels: The labels as they are written; null if there is none.
        ids: The number of each row among all the rows of the file, from 0, bad ones counted.
        lines: The line each row begins at, from 1.
        bad: The rows that could not be read at all; they are not in the arrays.
    """

    texts: tuple[pa.Array, ...]
    labels: pa.Array
    ids: NDArray[np.int64]
    lines: NDArray[np.int64]
    bad: Sequence[BadRow] = ()

    def where(self, keep: NDArray[np.bool_]) -> Rows:
        """Return the rows for which ``keep`` is true."""
        if keep.all():
            return self
        mask = pa.array(keep)
        texts = tuple(column.filter(mask) for column in self.texts)
        return Rows(texts, self.labels.filter(mask), self.ids[keep], self.lines[keep], self.bad)


@dataclass(frozen=True)
class Source:
    """A file, or one split of a data set, of which only the header has been read.

    Attributes:
        where: What to call it in an error.
        columns: The columns there are.
        read: Reads the given text columns and the given label column.
        unit: What `BadRow.line` counts.
        class_names: For each column that carries them, the names of the label ids 0, 1, ….
    """

    where: str
    columns: tuple[str, ...]
    read: Callable[[Sequence[str], str], Rows]
    unit: Unit
    class_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class RowCollector:
    """Gathers rows one by one and packs them into arrow arrays as it goes, so that few live as objects."""

    def __init__(self, text_columns: int, encoding: str | None = None) -> None:
        self._encoding = encoding
        self._pending: list[list[str | None]] = [[] for _ in range(text_columns + 1)]
        self._packed: list[list[pa.Array]] = [[] for _ in self._pending]
        self._ids = array("q")
        self._lines = array("q")
        self._bad: list[BadRow] = []

    def add(self, texts: Iterable[str | None], label: str | None, line: int) -> None:
        """Add a row, or reject it if a string holds what is no Unicode character."""
        values = [*texts, label]
        for value in values:
            # Bytes that cannot be decoded arrive as lone surrogates, and so does a JSON escape such as "\ud800".
            if value is not None and (reason := fault(value, self._encoding)):
                self.reject(line, reason)
                return
        self._ids.append(len(self._ids) + len(self._bad))
        self._lines.append(line)
        for column, value in zip(self._pending, values, strict=True):
            column.append(value)
        if len(self._pending[0]) == _CHUNK:
            self._pack()

    def reject(self, line: int, reason: str) -> None:
        """Note a row that cannot be read."""
        self._bad.append(BadRow(line, reason))
        if len(self._bad) > _MOST_BAD:
            raise UserError(f"more than {_MOST_BAD:,} rows are bad, the first in {self._bad[0]}; mend the file")

    def finish(self) -> Rows:
        """Return all that was added."""
        self._pack()
        *texts, labels = (pa.concat_arrays(chunks) for chunks in self._packed)
        ids, lines = (np.array(numbers, np.int64) for numbers in (self._ids, self._lines))
        return Rows(tuple(texts), labels, ids, lines, self._bad)

    def _pack(self) -> None:
        for column, chunks in zip(self._pending, self._packed, strict=True):
            chunks.append(pa.array(column, pa.large_string()))
            column.clear()
