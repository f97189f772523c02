"""Trained models in one file, for a machine that starts empty.

Weights travel in half precision and are restored as they were stored: a prediction moves by a thousandth or so. The
file may come from a stranger, so its contents are checked before they are read.
"""

from __future__ import annotations

import json
import shutil
import zipfile
import zlib
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from unfool.errors import UserError, first_line
from unfool.resources import build_once
from unfool.storage import replacing
from unfool.training import TrainingReport
from unfool.zoo._catalogue import EncoderRecipe, NetRecipe, entry
from unfool.zoo.store import check, shapes
from unfool.zoo.victim_names import Named, parse

_WEIGHTS = ".safetensors"
_WHOLE = "whole"
"""The key under which a file of weights names those that were not shortened."""
_MOST_MODELS, _MOST_FILES = 10_000, 16
_MOST_DESCRIPTION = 16 << 20
_WEIGHTS_ALWAYS, _ALL_ALWAYS = 64 << 20, 1 << 30
_MOST_GROWTH = 20
"""Weights may be this many times as large as packed: half precision hardly shrinks, a Naive Bayes by far more."""


def pack(chosen: Sequence[Named], file: Path | str) -> Generator[Named]:
    """Write trained models into one file, and yield each once it is written.

    Args:
        chosen: The models.
        file: The file to write; it exists once the last model has been yielded.

    Raises:
        UserError: If a model is not trained yet, or the file cannot be written.
    """
    place = Path(file).expanduser()
    if untrained := [str(named) for named in chosen if not named.report]:
        raise UserError(f"{', '.join(untrained[:3])} is not trained yet; `unfool train` first, then pack")
    if place.is_dir():
        raise UserError(f"{place} is a folder; name the file to write, such as {place / 'models.zip'}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with (
            replacing(place) as whole,
            zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as parcel,
        ):
            for named in dict.fromkeys(chosen):
                for path in sorted(named.folder.iterdir()):
                    content = path.read_bytes()
                    short = shortened(content) if path.suffix == _WEIGHTS else content
                    parcel.writestr(f"{str(named).removeprefix('zoo:')}/{path.name}", short)
                yield named
    except OSError as problem:
        raise UserError(f"{place} cannot be written ({problem.strerror}); choose another file") from problem


def unpack(file: Path | str) -> Iterator[tuple[Named, bool]]:
    """Put the models of a file into the cache, and yield each and whether it is new there.

    A model that is in the cache already stays as it is.

    Args:
        file: The file that `pack` wrote.

    Raises:
        UserError: If the file is not what `pack` wrote.
    """
    place = Path(file).expanduser()
    try:
        with zipfile.ZipFile(place) as parcel:
            for named, members in _models(parcel, place).items():

                def build(folder: Path, named: Named = named, members: list[zipfile.ZipInfo] = members) -> None:
                    for member in members:
                        target = folder / PurePosixPath(member.filename).name
                        with parcel.open(member) as source, target.open("wb") as sink:
                            shutil.copyfileobj(source, sink, 1 << 20)
                    # Before the weights are read: they fill no more memory than the model would.
                    _check(named, folder)
                    for weights in folder.glob(f"*{_WEIGHTS}"):
                        lengthen(weights)

                is_new = not named.folder.is_dir()
                build_once(named.folder, build)
                yield named, is_new
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error) as problem:
        raise UserError(
            f"{place} cannot be unpacked ({problem}); give a file that `unfool pack` wrote"
        ) from problem


def _models(parcel: zipfile.ZipFile, place: Path) -> dict[Named, list[zipfile.ZipInfo]]:
    """Return the files of each model; refuse a file that holds anything else, or would grow too large."""
    members = parcel.infolist()
    if len({member.filename for member in members}) < len(members):
        raise UserError(f"{place} holds a file twice, as `unfool pack` writes none; it is left alone")
    if len(members) > _MOST_MODELS * _MOST_FILES:
        raise UserError(f"{place} holds {len(members):,} files, which is no parcel of models; it is left alone")
    found: dict[Named, list[zipfile.ZipInfo]] = {}
    for member in members:
        name, _, file = member.filename.rpartition("/")
        # Only plain files of weights and descriptions: a parcel may come from anywhere.
        if not name or "\\" in file or PurePosixPath(file).suffix not in (_WEIGHTS, ".json"):
            raise UserError(f"{place} holds {member.filename!r}, which is no part of a model; it is left alone")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or member.flag_bits & 1:
            raise UserError(f"{place} packs {member.filename!r} as `unfool pack` does not; it is left alone")
        most = _MOST_DESCRIPTION
        if file.endswith(_WEIGHTS):
            most = max(_WEIGHTS_ALWAYS, _MOST_GROWTH * member.compress_size)
        _check_size(place, member.filename, member.file_size, most)
        found.setdefault(parse(name), []).append(member)
    _check_size(
        place,
        "all together",
        sum(member.file_size for member in members),
        max(_ALL_ALWAYS, _MOST_GROWTH * place.stat().st_size),
    )
    for named, files in found.items():
        names = {PurePosixPath(member.filename).name for member in files}
        if "config.json" not in names or f"model{_WEIGHTS}" not in names or len(files) > _MOST_FILES:
            raise UserError(f"{place} holds no whole model {named}; pack the models again")
    return found


def _check_size(place: Path, what: str, size: int, most: int) -> None:
    if size > most:
        raise UserError(
            f"{place} holds files that would grow beyond measure ({what}: {size / 1e6:,.0f} MB, and at most "
            f"{most / 1e6:,.0f} MB are taken); it is left alone"
        )


def _check(named: Named, folder: Path) -> None:
    """Refuse a folder that does not hold a model of this name, without opening the model."""
    recipe = entry(named.model).recipe
    try:
        if isinstance(recipe, NetRecipe):
            check(folder)
        elif isinstance(recipe, EncoderRecipe):
            _check_encoder(folder)
        else:
            from unfool.zoo import classical

            classical.check(_object(folder / "config.json"), shapes(folder / "model.safetensors"), named.model)
        if not TrainingReport.read(folder):
            raise ValueError("it does not tell how it was trained")
    except UserError:
        raise
    except Exception as error:  # the files may hold anything
        raise UserError(
            f"what is packed as {named} is no such model ({first_line(error)}); pack the models again"
        ) from error


def _check_encoder(folder: Path) -> None:
    from transformers import AutoConfig

    from unfool.victims.checkpoints import check_weights, look_over

    look_over(str(folder), allow_code=False)
    shapes(folder / "model.safetensors")
    check_weights(folder, AutoConfig.from_pretrained(folder, trust_remote_code=False), trust_remote_code=False)
    _object(folder / "tokenizer.json")


def _object(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError(f"{path.name} is not a JSON object")
    return found


def shortened(weights: bytes) -> bytes:
    """Return weights in which single precision has become half, unless a number is too large for that."""
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


def lengthen(file: Path) -> None:
    """Restore the weights in a file as they were before they were shortened."""
    import torch
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import save_file

    try:
        with safe_open(file, "pt") as packed:
            whole = set(json.loads(packed.metadata()[_WHOLE]))
            weights = {name: packed.get_tensor(name) for name in packed.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as problem:
        raise UserError(
            "the weights in this file were not packed by `unfool pack`; pack the models again"
        ) from problem
    restored = {
        name: weight.float() if weight.dtype is torch.float16 and name not in whole else weight.clone()
        for name, weight in weights.items()
    }
    del weights  # they are a view of the file that is replaced
    save_file(restored, file, {"format": "pt"})
