"""Trained models in one file, for a machine that starts empty.

Weights travel in half precision and come back as they were stored: a prediction moves by a thousandth or so.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path, PurePosixPath

from unfool.errors import UserError
from unfool.resources import build_once
from unfool.zoo._check import check
from unfool.zoo._names import Named
from unfool.zoo._packed_weights import lengthen, shortened
from unfool.zoo._parcel import WEIGHTS, extract, models

_PACKED = "weights.packed"


def pack(chosen: Sequence[Named], file: Path | str) -> Generator[Named]:
    """Write trained models into one file, and yield each that is in it.

    Args:
        chosen: The models.
        file: The file to write; it is there when the last model has been yielded.

    Raises:
        UserError: If a model is not trained yet, or the file cannot be written.
    """
    place = Path(file).expanduser()
    if untrained := [str(named) for named in chosen if not named.told]:
        raise UserError(f"{', '.join(untrained[:3])} is not trained yet; `unfool train` first, then pack")
    if place.is_dir():
        raise UserError(f"{place} is a folder; name the file to write, such as {place / 'models.zip'}")
    part = place.with_name(f".{place.name}.part")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as parcel:
            for named in dict.fromkeys(chosen):
                for path in sorted(named.folder.iterdir()):
                    content = path.read_bytes()
                    short = shortened(content) if path.suffix == WEIGHTS else content
                    parcel.writestr(f"{str(named).removeprefix('zoo:')}/{path.name}", short)
                yield named
        part.replace(place)
    except OSError as problem:
        raise UserError(f"{place} cannot be written ({problem.strerror}); choose another file") from problem
    finally:
        if part.is_file():  # stopped, or failed
            part.unlink()


def unpack(file: Path | str) -> Iterator[tuple[Named, bool]]:
    """Put the models of a file into the cache, and yield each, and whether it is new there.

    A model that is trained here already stays as it is.

    Args:
        file: What `pack` wrote.

    Raises:
        UserError: If the file is not what `pack` wrote.
    """
    place = Path(file).expanduser()
    try:
        with zipfile.ZipFile(place) as parcel:
            for named, entries in models(parcel, place).items():

                def build(folder: Path, named: Named = named, entries: list[zipfile.ZipInfo] = entries) -> None:
                    for entry in entries:
                        target = folder / PurePosixPath(entry.filename).name
                        if target.suffix == WEIGHTS:
                            extract(parcel, entry, folder / _PACKED)
                            lengthen(folder / _PACKED, target)
                            (folder / _PACKED).unlink()
                        else:
                            extract(parcel, entry, target)
                    check(named, folder)

                is_new = not named.folder.is_dir()
                build_once(named.folder, build)
                yield named, is_new
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as problem:
        raise UserError(
            f"{place} cannot be unpacked ({problem}); give a file that `unfool pack` wrote"
        ) from problem
