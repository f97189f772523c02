"""A folder of splits: a file for each, or its shards; and which split is meant."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unfool.data._formats import FORMATS, join, open_file
from unfool.data._rows import Source
from unfool.errors import UserError

_DEFAULTS = ("test", "validation")


class Absent(UserError):
    """A split is not there, or none of its rows has a label: who can do without it may."""


def choose_split(name: str, wanted: str | None, there: Sequence[str]) -> str:
    """Return the wanted split, or where none is named test, else validation, else the only one."""
    listed = ", ".join(there)
    if wanted is not None:
        if wanted in there:
            return wanted
        raise Absent(f"{name!r} has no split {wanted!r}; there is {listed}")
    for default in _DEFAULTS:
        if default in there:
            return default
    if len(there) == 1:
        return there[0]
    raise UserError(f"{name!r} has neither a test nor a validation split; name one of {listed}")


USUAL_SPLITS = ("train", "validation", "test")
_SHARD = re.compile(r"(?P<split>.+)-\d{5}-of-(?P<count>\d{5})")


class _Kind(NamedTuple):
    """What the files of one split have in common."""

    folder: Path
    ending: str
    shards: str | None


def open_folder(folder: Path, split: str | None, encoding: str | None = None) -> tuple[Source, str]:
    """Open a split of a folder and return it with its name.

    Args:
        folder: The folder.
        split: The split, or None for the default one.
        encoding: That of its files of text; UTF-8 where None.

    Raises:
        UserError: If the folder has no split, not the wanted one, not all of it, or one of them twice.
    """
    splits = _files(folder, split)
    if not splits:
        raise UserError(
            f"the folder {str(folder)!r} holds no split; a split is a file <split>{', '.join(FORMATS)}, or shards "
            "such as <split>-00000-of-00002.csv, there or in its folder data; a .json must be called "
            f"{', '.join(USUAL_SPLITS)} or what --split says"
        )
    chosen = choose_split(str(folder), split, list(splits))
    for name in (chosen, *USUAL_SPLITS):  # whoever trains takes a usual split that cannot be opened for missing
        if len(splits.get(name, ())) > 1:
            first, second, *_ = (str(paths[0]) for paths in splits[name].values())
            raise UserError(
                f"the folder {str(folder)!r} holds the split {name!r} twice: {first!r} and {second!r}; "
                "keep the one that is meant and move the other elsewhere"
            )
    ((kind, paths),) = splits[chosen].items()
    if kind.shards is None:
        return open_file(paths[0], encoding), chosen
    if len(paths) != int(kind.shards):
        raise UserError(f"{str(folder)!r} holds {len(paths)} of the {int(kind.shards)} shards of {chosen!r}")
    shards = [open_file(path, encoding) for path in paths]
    return (shards[0] if len(shards) == 1 else join(shards, str(kind.folder / f"{chosen}-*{kind.ending}"))), chosen


def has_usual_split(folder: Path) -> bool:
    """Say whether the files of a folder are splits of one data set rather than sets of their own."""
    return not _files(folder, None).keys().isdisjoint(USUAL_SPLITS)


def _files(folder: Path, wanted: str | None) -> dict[str, dict[_Kind, list[Path]]]:
    """Return the files of each split, shards in order."""
    found: dict[str, dict[_Kind, list[Path]]] = defaultdict(lambda: defaultdict(list))
    for path in sorted([*folder.glob("*.*"), *folder.glob("data/*.*")], key=lambda path: path.name):
        shard = _SHARD.fullmatch(path.stem)
        split = shard["split"] if shard else path.stem
        # Lines of JSON seldom have the ending .json, and descriptions of data sets and models always have.
        if (
            path.suffix in FORMATS
            and not path.name.startswith(".")
            and (path.suffix != ".json" or split in (*USUAL_SPLITS, wanted))
        ):
            found[split][_Kind(path.parent, path.suffix, shard and shard["count"])].append(path)
    return found
