"""Files that survive a crash, a full disk and a second process; some grow line by line."""

from __future__ import annotations

import errno
import json
import os
from array import array
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from unfool.errors import UserError
from unfool.storage._json import id_in

LOCK = ".lock"
HALF_WRITTEN = ".part"
"""Ends the name of a file that is being written and takes another's place once it is whole."""


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there; refuse one that is a file, or would lie in one."""
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise UserError(f"{place} is a file, and a folder is needed there; choose another --out")
    folder.mkdir(parents=True, exist_ok=True)


@contextmanager
def explaining(path: Path, doing: str, advice: str) -> Iterator[None]:
    """Turn an error of the disk, or a file that is not what it should be, into one line for the user."""
    try:
        yield
    except OSError as error:
        raise UserError(f"cannot {doing} {path}: {error.strerror or error}; {advice}") from error
    except json.JSONDecodeError as error:
        raise UserError(f"cannot {doing} {path}: a file is damaged ({error}); {advice}") from error


def check_place(path: Path) -> None:
    """Refuse a file that could not be written, before the work that would end with it."""
    with explaining(path, "write", "choose another place"), suppress(_OnlyTried), replacing(path):
        raise _OnlyTried


class _OnlyTried(Exception):
    """Ends a writing before it takes anything's place."""


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` at the end, all at once, or not at all."""
    if path.is_dir():  # one such as "." has no name to put anything beside
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    part = path.with_name(path.name + HALF_WRITTEN)
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for this process; the system lets go of it even if the process is killed."""
    try:
        lock = FileLock(folder / LOCK).acquire(timeout=0)
    except Timeout:
        raise UserError(
            f"another process is writing {folder}; wait for it to end, or choose another folder"
        ) from None
    with lock:
        yield


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
    with replacing(path) as target:
        target.writelines(lines_at(path, offsets))


def lines_at(path: Path, offsets: Iterable[int]) -> Iterator[bytes]:
    """Yield the lines that begin there."""
    with path.open("rb") as file:
        for offset in offsets:
            file.seek(offset)
            yield file.readline()
