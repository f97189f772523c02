"""Trained models in one file, for a machine that starts empty.

Weights travel in half precision and come back as they were stored: a prediction moves by a thousandth or so.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path, PurePosixPath

from unfool.errors import UserError
from unfool.resources import build_once
from unfool.zoo._names import Named, parse

_WEIGHTS = ".safetensors"
_WHOLE = "whole"
"""Under this key a file of weights names those that were not shortened."""


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
                    short = _shortened(content) if path.suffix == _WEIGHTS else content
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
            for named, entries in _models(parcel, place).items():

                def build(folder: Path, entries: list[zipfile.ZipInfo] = entries) -> None:
                    for entry in entries:
                        content = parcel.read(entry)
                        whole = _lengthened(content) if entry.filename.endswith(_WEIGHTS) else content
                        (folder / PurePosixPath(entry.filename).name).write_bytes(whole)

                is_new = not named.folder.is_dir()
                build_once(named.folder, build)
                yield named, is_new
    except (OSError, zipfile.BadZipFile) as problem:
        raise UserError(
            f"{place} cannot be unpacked ({problem}); give a file that `unfool pack` wrote"
        ) from problem


def _models(parcel: zipfile.ZipFile, place: Path) -> dict[Named, list[zipfile.ZipInfo]]:
    found: dict[Named, list[zipfile.ZipInfo]] = {}
    for entry in parcel.infolist():
        name, _, file = entry.filename.rpartition("/")
        # Only plain files of weights and descriptions: a parcel may come from anywhere.
        if not name or "\\" in file or PurePosixPath(file).suffix not in (_WEIGHTS, ".json"):
            raise UserError(f"{place} holds {entry.filename!r}, which is no part of a model; it is left alone")
        found.setdefault(parse(name), []).append(entry)
    return found


def _shortened(weights: bytes) -> bytes:
    import torch
    from safetensors.torch import load, save

    shorter, whole = {}, []
    for name, weight in load(weights).items():
        half = weight.half()
        fits = weight.dtype is torch.float32 and bool(torch.isfinite(half).all())
        shorter[name] = half if fits else weight
        whole += [] if fits else [name]
    # Hugging Face reads no file of weights that does not say it is PyTorch's.
    return save(shorter, {"format": "pt", _WHOLE: json.dumps(whole)})


def _lengthened(weights: bytes) -> bytes:
    from safetensors import SafetensorError
    from safetensors.torch import load, save

    try:
        header = json.loads(weights[8 : 8 + int.from_bytes(weights[:8], "little")])
        whole = set(json.loads(header["__metadata__"][_WHOLE]))
        found = load(weights)
    except (SafetensorError, ValueError, KeyError) as problem:
        raise UserError(
            "the weights in this file were not packed by `unfool pack`; pack the models again"
        ) from problem
    longer = {name: weight if name in whole else weight.float() for name, weight in found.items()}
    return save(longer, {"format": "pt"})
