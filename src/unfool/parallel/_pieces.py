"""Pieces of a work folder, files or folders, on their way to another machine and back."""

from __future__ import annotations

import io
import os
import pickle
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from tempfile import mkdtemp
from typing import Any, NamedTuple

Content = dict[str, bytes]
"""The files of a piece by their paths in it; of a piece that is a file, that file by no path at all."""
Version = tuple[tuple[str, int, int], ...]
"""Tells a piece as it is now from what it was: names, times and sizes."""

_ARRIVING = ".arriving"


class Folder(NamedTuple):
    """A folder whose pieces jobs read and write.

    Attributes:
        here: Where it lies on this machine.
        there: Tells, on another machine, where the folder of that machine lies that has the same part, such as its
            cache: what is there already stays as it is. None for a copy that ends with the worker.
    """

    here: Path
    there: Callable[[], Path] | None = None


class Place(NamedTuple):
    """Where a piece lies: the number of its folder, and its path in there."""

    folder: int
    path: str

    def below(self, folders: Sequence[Path]) -> Path:
        """Return the path on the machine that has its folders here."""
        return folders[self.folder] / self.path


def place_of(path: PurePath, folders: Sequence[Path]) -> Place | None:
    """Return the place of a path below one of the folders; None for another path."""
    whole = Path(path).absolute()
    for number, folder in enumerate(folders):
        if whole.is_relative_to(folder):
            return Place(number, str(whole.relative_to(folder)))
    return None


def packed(what: object, folders: Sequence[Path]) -> bytes:
    """Return a value as bytes in which paths below the folders are places."""
    found = io.BytesIO()
    _Packer(found, folders).dump(what)
    return found.getvalue()


def unpacked(found: bytes, folders: Sequence[Path]) -> Any:
    """Return the value that the caller packed, its places below the folders of this machine."""
    return _Unpacker(io.BytesIO(found), folders).load()


class _Packer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, folders: Sequence[Path]) -> None:
        super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
        self._folders = folders

    def persistent_id(self, value: Any) -> Any:
        place = place_of(value, self._folders) if isinstance(value, Path) else None
        return tuple(place) if place else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, folders: Sequence[Path]) -> None:
        super().__init__(file)
        self._folders = folders

    def persistent_load(self, place: tuple[int, str]) -> Path:
        return Place(*place).below(self._folders)


def version(piece: Path) -> Version:
    """Return the version of a piece; empty if there is none."""
    found = ((str(file.relative_to(piece)), file.stat()) for file in _files(piece))
    return tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in found)


def content(piece: Path) -> Content:
    """Return the files of a piece; none if it is not there."""
    return {str(file.relative_to(piece)): file.read_bytes() for file in _files(piece)}


def put(piece: Path, files: Content, folder: Path) -> None:
    """Put a piece into its folder, whole, in the place of what is there."""
    staging = folder / _ARRIVING
    staging.mkdir(parents=True, exist_ok=True)
    place = Path(mkdtemp(dir=staging))
    fresh = place / "fresh"
    for name, data in files.items():
        file = fresh / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("wb") as writing:
            writing.write(data)
            writing.flush()
            os.fsync(writing.fileno())
    piece.parent.mkdir(parents=True, exist_ok=True)
    if piece.exists():
        piece.rename(place / "stale")
    if files:
        fresh.rename(piece)
    shutil.rmtree(place)


def clear(folder: Path) -> None:
    """Remove what a kill left of pieces that were on their way."""
    shutil.rmtree(folder / _ARRIVING, ignore_errors=True)


def _files(piece: Path) -> list[Path]:
    if piece.is_file():
        return [piece]
    return sorted(file for file in piece.rglob("*") if file.is_file())
