"""Files that survive a crash, a full disk and a second process."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

from unfool.errors import UserError

LOCK = ".lock"
HALF_WRITTEN = ".part"
"""Ends the name of a file that is being written and takes another's place once it is whole."""


def make_folder(folder: Path) -> None:
    """Make a folder unless it is there.

    Raises:
        UserError: It, or what it is to lie in, is a file.
    """
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
