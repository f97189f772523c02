"""What a file of packed models may hold: it may come from anywhere, so it is looked over before it is read."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path, PurePosixPath

from unfool.errors import UserError
from unfool.zoo._names import Named, parse

WEIGHTS = ".safetensors"
_MOST_MODELS, _MOST_FILES = 10_000, 16
_MOST_DESCRIPTION = 16 << 20
_WEIGHTS_ALWAYS, _ALL_ALWAYS = 64 << 20, 1 << 30
_MOST_GROWTH = 20
"""How many times their packed size weights may have; half precision hardly shrinks, a Naive Bayes by far more."""


def models(parcel: zipfile.ZipFile, place: Path) -> dict[Named, list[zipfile.ZipInfo]]:
    """Return what a parcel holds of each model.

    Args:
        parcel: The opened file.
        place: Where it lies.

    Raises:
        UserError: If it holds anything but models, or they would grow beyond measure.
    """
    entries = parcel.infolist()
    if len({entry.filename for entry in entries}) < len(entries):
        raise UserError(f"{place} holds a file twice, as `unfool pack` writes none; it is left alone")
    if len(entries) > _MOST_MODELS * _MOST_FILES:
        raise UserError(f"{place} holds {len(entries):,} files, which is no parcel of models; it is left alone")
    found: dict[Named, list[zipfile.ZipInfo]] = {}
    for entry in entries:
        name, _, file = entry.filename.rpartition("/")
        # Only plain files of weights and descriptions: a parcel may come from anywhere.
        if not name or "\\" in file or PurePosixPath(file).suffix not in (WEIGHTS, ".json"):
            raise UserError(f"{place} holds {entry.filename!r}, which is no part of a model; it is left alone")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or entry.flag_bits & 1:
            raise UserError(f"{place} packs {entry.filename!r} as `unfool pack` does not; it is left alone")
        _check_size(place, entry.filename, entry.file_size, _most(entry))
        found.setdefault(parse(name), []).append(entry)
    _check_size(
        place,
        "all together",
        sum(entry.file_size for entry in entries),
        max(_ALL_ALWAYS, _MOST_GROWTH * place.stat().st_size),
    )
    for named, files in found.items():
        names = {PurePosixPath(entry.filename).name for entry in files}
        if "config.json" not in names or f"model{WEIGHTS}" not in names or len(files) > _MOST_FILES:
            raise UserError(f"{place} holds no whole model {named}; pack the models again")
    return found


def extract(parcel: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path) -> None:
    """Write a file of a parcel, no more of it than was told."""
    with parcel.open(entry) as source, target.open("wb") as sink:
        shutil.copyfileobj(source, sink, 1 << 20)


def _most(entry: zipfile.ZipInfo) -> int:
    if entry.filename.endswith(WEIGHTS):
        return max(_WEIGHTS_ALWAYS, _MOST_GROWTH * entry.compress_size)
    return _MOST_DESCRIPTION


def _check_size(place: Path, what: str, size: int, most: int) -> None:
    if size > most:
        raise UserError(
            f"{place} holds files that would grow beyond measure ({what}: {size / 1e6:,.0f} MB, and at most "
            f"{most / 1e6:,.0f} MB are taken); it is left alone"
        )
