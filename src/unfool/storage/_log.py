"""A file of records, one a line, that only grows while a run goes on and is put in order at its end."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from unfool.storage._files import replacing
from unfool.storage._json import id_in

_LONGEST = 32 << 20
_BLOCK = 1 << 20


class Log:
    """Appends whole lines; nothing reaches the disk before `flush`."""

    def __init__(self, path: Path, anew: bool = False) -> None:
        self._file = path.open("wb" if anew else "ab", buffering=0)
        self._waiting: list[bytes] = []

    def add(self, line: bytes) -> None:
        """Keep a line for the next `flush`."""
        self._waiting.append(line)

    def flush(self) -> None:
        """Write the waiting lines."""
        # Emptied first: after a failed write, the next must not add to the torn line it left.
        rest, self._waiting = memoryview(b"".join(self._waiting)), []
        while rest:
            rest = rest[self._file.write(rest) :]

    def sync(self) -> None:
        """Write the waiting lines and wait until the disk has them."""
        self.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (offset, line) for every line that was written to its end; a line longer than any record is empty."""
    offset = 0
    with path.open("rb") as file:
        while line := file.readline(_LONGEST):
            length, kept = len(line), line
            while len(line) == _LONGEST:  # so much of a line that goes on
                line, kept = file.readline(_LONGEST), b""
                length += len(line)
            if line and not line.endswith(b"\n"):
                return
            yield offset, kept
            offset += length


class Index(NamedTuple):
    """The ids of a file, in order and each once, and where the first record of each begins."""

    ids: NDArray[np.int64]
    offsets: NDArray[np.int64]


def index(path: Path) -> Index:
    """Find the records of a file; damaged lines hold none. Arrays, since a run may have millions."""
    ids, offsets = array("q"), array("q")
    for offset, line in whole_lines(path):
        number = id_in(line)
        if number is not None:
            ids.append(number)
            offsets.append(offset)
    unique, first = np.unique(np.array(ids, dtype=np.int64), return_index=True)
    return Index(unique, np.array(offsets, dtype=np.int64)[first])


def cut_torn_end(path: Path) -> None:
    """Drop what follows the last whole line: the trace of a process killed while it wrote."""
    end = position = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            if (last := block.rfind(b"\n")) >= 0:
                end = position + last + 1
            position += len(block)
    os.truncate(path, end)


def put_in_order(path: Path) -> None:
    """Sort the records by id, each id once, holding no more than (id, offset) of each in memory."""
    offsets = index(path).offsets
    with path.open("rb") as source, replacing(path) as target:
        for offset in offsets:
            source.seek(offset)
            target.write(source.readline())
