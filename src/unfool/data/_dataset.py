"""A data set: columns in memory, samples made as they are asked for."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from unfool.data._columns import Columns
from unfool.data._rows import BadRow
from unfool.errors import UserError
from unfool.storage import JSON
from unfool.text import Sample, Text, cutter

_BATCH = 1024


@dataclass(frozen=True, repr=False, eq=False)
class Dataset:
    """Labelled texts in the order of their file. Make one with `load`.

    Only the raw columns are held; a `Text` is made when a row is asked for and kept by nobody, so walking
    through a data set takes no more memory than opening it.

    Attributes:
        name: The name it was loaded by.
        split: The split it is; None for a file, which has none.
        labels: The names of the label ids.
        columns: The columns it was read from.
        bad_rows: The rows of the file that were skipped, in order.
        cutter: The name of what cuts texts without spaces into words; None where each character is one.
    """

    name: str
    split: str | None
    labels: tuple[str, ...]
    columns: Columns
    bad_rows: list[BadRow]
    _texts: tuple[pa.Array, ...]
    _label_ids: NDArray[np.int64]
    _ids: NDArray[np.int64]
    _editable: str | None
    _call: str
    cutter: str | None = None

    def __post_init__(self) -> None:
        if self.cutter:
            cutter(self.cutter)  # what is missing is said before a text is made

    @property
    def unlabelled(self) -> bool:
        """Whether the texts have no labels yet, and are to be given some: `with_labels`."""
        return not self.labels

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, row: int) -> Sample:
        """Return the sample at a place in this data set; its ``id`` is its row in the file, bad rows counted."""
        if not -len(self) <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        strings = [column[row].as_py() for column in self._texts]
        return self._sample(int(self._ids[row]), strings, int(self._label_ids[row]))

    def __iter__(self) -> Iterator[Sample]:
        for start in range(0, len(self), _BATCH):
            batch = slice(start, start + _BATCH)
            strings = zip(*(column[batch].to_pylist() for column in self._texts), strict=True)
            numbers = zip(self._ids[batch].tolist(), self._label_ids[batch].tolist(), strict=True)
            for (id_, label), row in zip(numbers, strings, strict=True):
                yield self._sample(id_, row, label)

    def __repr__(self) -> str:
        return self._call

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of the texts, the labels and the label names, whatever file format they came in."""
        header = {"rows": len(self), "labels": self.labels, "columns": len(self._texts)}
        digest = hashlib.sha256(json.dumps(header).encode())
        for column in self._texts:
            for part in _lengths_and_bytes(column):
                digest.update(part)
        digest.update(self._label_ids.astype("<i8").tobytes())
        return digest.hexdigest()

    def sample(self, n: int | None, seed: int) -> Dataset:
        """Return ``n`` rows drawn at random, in their order; all of them if n is None or not fewer.

        The same rows are drawn for the same seed on every machine.
        """
        if n is not None and n < 1:
            raise UserError(f"cannot draw {n} rows of {self.name!r}; ask for at least 1")
        if n is None or n >= len(self):
            return self
        rows = np.array(sorted(random.Random(seed).sample(range(len(self)), n)), np.int64)
        return replace(self._rows(rows), _call=f"{self._call}.sample({n}, {seed})")

    def part(self, places: slice) -> Dataset:
        """Return the samples at some places."""
        return self._rows(np.arange(len(self))[places])

    def without(self, ids: Collection[int]) -> Dataset:
        """Return the samples but those with these ids."""
        return self._rows(np.flatnonzero(~np.isin(self._ids, list(ids)))) if ids else self

    def with_labels(self, names: Sequence[str], label_ids: Sequence[int]) -> Dataset:
        """Return the texts with other labels.

        Args:
            names: The names of the label ids.
            label_ids: The label of each text; a text of label -1 is left out.
        """
        labelled = replace(self, labels=tuple(names), _label_ids=np.asarray(label_ids, np.int64))
        return labelled._rows(np.flatnonzero(labelled._label_ids >= 0))

    def with_behind(self, columns: Mapping[str, Sequence[str]]) -> Dataset:
        """Return the first text of each row with other texts behind it, which no attack may change."""
        arrays = [pa.array(list(values), pa.large_string()) for values in columns.values()]
        return replace(
            self,
            columns=self.columns._replace(pair=None, behind=tuple(columns)),
            _texts=(self._texts[0], *arrays),
            _editable=self.columns.text,
        )

    def column(self, number: int) -> list[str]:
        """Return the texts of one field, row by row."""
        return [str(text) for text in self._texts[number].to_pylist()]

    def editable_setting(self) -> dict[str, JSON]:
        """Return ``{"editable": names}`` if only some fields may be edited: a setting that decides every result."""
        fields = self[0].text.fields if len(self) else ()
        names: list[JSON] = [field.name for field in fields if field.editable]
        return {"editable": names} if len(names) < len(fields) else {}

    def only(self, label_ids: Collection[int]) -> Dataset:
        """Return the samples that have one of these labels."""
        return self._rows(np.flatnonzero(np.isin(self._label_ids, list(label_ids))))

    def _rows(self, rows: NDArray[np.intp]) -> Dataset:
        return replace(
            self,
            _texts=tuple(column.take(pa.array(rows)) for column in self._texts),
            _label_ids=self._label_ids[rows],
            _ids=self._ids[rows],
        )

    def _sample(self, id_: int, strings: Sequence[str], label: int) -> Sample:
        fields = dict(zip(self.columns.texts, strings, strict=True))
        cut = cutter(self.cutter) if self.cutter else None
        return Sample(id_, Text.from_fields(fields, self._editable, cut=cut), label)


def _lengths_and_bytes(column: pa.Array) -> tuple[bytes, memoryview]:
    """Return the byte lengths of the strings of an array, little-endian, and the strings end to end."""
    _, offsets, content = column.buffers()
    ends = np.frombuffer(offsets, np.int64, len(column) + 1, column.offset * 8)
    everything = memoryview(content or b"")  # arrow keeps no bytes at all for strings that are all empty
    return np.diff(ends).astype("<i8").tobytes(), everything[ends[0] : ends[-1]]
