"""The files of a run folder, and how they survive a crash, a full disk and a second process."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from filelock import FileLock, Timeout

from unfool.errors import RESUME, UserError

CONFIG = "config.json"
ENVIRONMENT = "environment.json"
OUTCOMES = "outcomes.jsonl"
FAILURES = "failures.jsonl"
TRACEBACKS = "tracebacks.txt"
SUMMARY = "summary.json"
LOCK = ".lock"
_HALF_WRITTEN = ".part"


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run; ``config.json`` alone could be a model's."""
    return (folder / CONFIG).is_file() and (folder / OUTCOMES).is_file()


def refuse_occupied(folder: Path) -> None:
    """Raise where a new run would land on what an old one has done, or among other files."""
    if not folder.is_dir() or all(_is_leftover(path) for path in folder.iterdir()):
        return
    if is_run(folder):
        raise UserError(f"{folder} holds a run already; add {RESUME} to go on with it, or choose another folder")
    raise UserError(f"{folder} holds other files; choose a new or an empty folder for the run")


class Made(NamedTuple):
    """A folder in which a run has begun."""

    folder: Path
    was_there: bool

    def take_back(self) -> None:
        """Remove what a run without any outcome leaves behind, and the folder unless it was there before."""
        for path in self.folder.iterdir():
            if _is_leftover(path):
                path.unlink()
        if not self.was_there and not any(self.folder.iterdir()):
            self.folder.rmdir()


def make_folder(folder: Path) -> Made:
    """Make a folder for work to begin in, where it is not there yet, and return what takes that back.

    Raises:
        UserError: If it, or what it is to lie in, is a file.
    """
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise UserError(f"{place} is a file, and a folder is needed there; choose another --out")
    made = Made(folder, folder.exists())
    folder.mkdir(parents=True, exist_ok=True)
    return made


def runs_near(folder: Path) -> list[Path]:
    """Return the run folders inside a folder, or else beside it."""
    for place in (folder, folder.absolute().parent):
        if place.is_dir() and (found := sorted(path for path in place.iterdir() if is_run(path))):
            return found
    return []


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
    part = path.with_name(path.name + _HALF_WRITTEN)
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
            f"another process is writing the run in {folder}; wait for it to end, or choose another folder"
        ) from None
    with lock:
        yield


def nothing_done(folder: Path, config: str) -> bool:
    """Whether work begun in a folder has come to nothing yet, as where a mistake is noticed late.

    Args:
        folder: The folder, in which runs may lie.
        config: The file with the settings of the work.
    """
    return all(path.is_dir() or path.name == config or _is_leftover(path) for path in folder.rglob("*"))


def _is_leftover(path: Path) -> bool:
    # What a run that was ended before its first outcome leaves behind; an outcome there is somebody's.
    if path.name == OUTCOMES:
        return path.stat().st_size == 0
    return path.name.removesuffix(_HALF_WRITTEN) in (LOCK, CONFIG, ENVIRONMENT, FAILURES, TRACEBACKS)
