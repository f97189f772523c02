"""Files by the endings of their names, and folders with a file, or shards, for each split."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from unfool.data._parquet import open_parquet
from unfool.data._rows import BadRow, Rows, Source
from unfool.data._text_file import refuse_binary
from unfool.data._text_formats import open_csv, open_jsonl, open_tsv
from unfool.errors import UserError

FORMATS: dict[str, Callable[[Path, str | None], Source]] = {
    ".csv": open_csv,
    ".tsv": open_tsv,
    ".jsonl": open_jsonl,
    ".json": open_jsonl,
    ".parquet": open_parquet,
}


def open_file(path: Path, encoding: str | None = None) -> Source:
    """Open a file of any format there is; a file of text without an encoding is UTF-8."""
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise UserError(f"cannot tell the format of {str(path)!r}; its name must end in {', '.join(FORMATS)}")
    try:
        if ending != ".parquet":
            refuse_binary(path)
        return FORMATS[ending](path, encoding)
    except OSError as problem:
        raise UserError(f"cannot read {str(path)!r}: {problem.strerror}") from problem


def join(shards: Sequence[Source], where: str) -> Source:
    """Return shards as one source, in their order; its rows are counted through all of them."""
    first = shards[0]
    return Source(where, first.columns, partial(_read_shards, shards), "row", first.class_names)


def _read_shards(shards: Sequence[Source], texts: Sequence[str], label: str) -> Rows:
    for shard in shards:
        missing = {*texts, label} - set(shard.columns)
        if missing:
            raise UserError(f"the shard {shard.where!r} has no column {min(missing)!r}, which the first one has")
    parts = []
    start = 0
    for shard in shards:
        rows = shard.read(texts, label)
        parts.append(_counted_from(start, rows))
        start += len(rows.ids) + len(rows.bad)
    ids = np.concatenate([part.ids for part in parts])
    return Rows(
        tuple(pa.concat_arrays(column) for column in zip(*(part.texts for part in parts), strict=True)),
        pa.concat_arrays([part.labels for part in parts]),
        ids,
        ids + 1,
        [bad for part in parts for bad in part.bad],
    )


def _counted_from(start: int, rows: Rows) -> Rows:
    """Number the rows of a shard from where the one before it ended, and its bad rows with them."""
    unread = np.setdiff1d(np.arange(len(rows.ids) + len(rows.bad)), rows.ids)
    bad = [BadRow(start + int(id_) + 1, row.reason) for id_, row in zip(unread, rows.bad, strict=True)]
    return Rows(rows.texts, rows.labels, rows.ids + start, rows.lines, bad)


class Absent(UserError):
    """A split is not there, or none of its rows has a label: who can do without it may."""


def choose_split(name: str, wanted: str | None, there: Sequence[str]) -> str:
    """Return the wanted split; if none is named, test, else validation, else the only one."""
    listed = ", ".join(there)
    if wanted is not None:
        if wanted in there:
            return wanted
        raise Absent(f"{name!r} has no split {wanted!r}; there is {listed}")
    for default in ("test", "validation"):
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
    """Open a split of a folder and return it with its name."""
    splits = _files_by_split(folder, split)
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
    """Return whether the files of a folder are splits of one data set rather than sets of their own."""
    return not _files_by_split(folder, None).keys().isdisjoint(USUAL_SPLITS)


def _files_by_split(folder: Path, wanted: str | None) -> dict[str, dict[_Kind, list[Path]]]:
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
