"""From a name to the file, folder, built-in set or hub id it means."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from unfool.data._builtin import MOVIE_REVIEWS, open_movie_reviews
from unfool.data._delimited import open_csv, open_tsv
from unfool.data._hub import NotOnHub, open_hub
from unfool.data._jsonl import open_jsonl
from unfool.data._parquet import open_parquet
from unfool.data._rows import Source
from unfool.data._splits import choose_split
from unfool.errors import UserError, did_you_mean

_FORMATS: dict[str, Callable[[Path], Source]] = {
    ".csv": open_csv,
    ".tsv": open_tsv,
    ".jsonl": open_jsonl,
    ".json": open_jsonl,
    ".parquet": lambda path: open_parquet([path], str(path)),
}
_SHARD = re.compile(r"(?P<split>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})")
_USUAL_SPLITS = frozenset({"train", "validation", "test"})
_LISTED = frozenset(_FORMATS) - {".json"}  # a file of JSON lines seldom has that ending, and much else has


def find(name: str, split: str | None) -> tuple[Source, str | None]:
    """Open what a name means: the built-in set, a path, a set in the folder `UNFOOL_DATA`, or a hub id.

    Returns:
        The opened data and the name of its split, which is None for a file.
    """
    if name == MOVIE_REVIEWS:
        return open_movie_reviews(split)
    path = Path(name).expanduser()
    here = path if path.exists() else _at_hand(name)
    if here is not None:
        return _open_folder(here, split) if here.is_dir() else (_open_file(here, split), None)
    root = _root()
    looked = f"there is no file or folder {name!r}" + (f" here or in {str(root)!r} (UNFOOL_DATA)" if root else "")
    if _is_path(name):
        raise UserError(f"{looked}; the current folder is {str(Path.cwd())!r}")
    try:
        return open_hub(name, split)
    except NotOnHub as problem:
        raise UserError(f"{looked}, and {problem}{did_you_mean(name, names())}") from problem


def names() -> list[str]:
    """Return the names of the data sets at hand: the built-in one and those in the folder ``UNFOOL_DATA``."""
    root = _root()
    return [MOVIE_REVIEWS, *(_names_below(root) if root else ())]


def _root() -> Path | None:
    given = os.environ.get("UNFOOL_DATA")
    root = Path(given) if given else Path("..", "shared", "data")
    return root if given or root.is_dir() else None


def _at_hand(name: str) -> Path | None:
    root = _root()
    if root is None:
        return None
    candidates = [root / name, *(root / f"{name}{ending}" for ending in _FORMATS)]
    return next((path for path in candidates if path.exists()), None)


def _names_below(root: Path) -> Iterator[str]:
    """Yield the sets right below a folder, and those of sub-folders that gather sets rather than splits."""
    for entry in sorted(root.iterdir()) if root.is_dir() else ():
        if entry.is_file() and entry.suffix in _LISTED:
            yield entry.stem
        elif entry.is_dir() and not _USUAL_SPLITS.isdisjoint(_split_files(entry)):
            yield entry.name
        elif entry.is_dir():
            yield from (f"{entry.name}/{path.stem}" for path in sorted(entry.iterdir()) if path.suffix in _LISTED)


def _is_path(name: str) -> bool:
    return name.startswith((".", "/", "~")) or Path(name).suffix in _FORMATS or name.count("/") > 1


def _open_file(path: Path, split: str | None) -> Source:
    if split is not None:
        raise UserError(f"{str(path)!r} is one file and has no split {split!r}; name no split")
    if path.suffix not in _FORMATS:
        raise UserError(f"cannot tell the format of {str(path)!r}; its name must end in {', '.join(_FORMATS)}")
    try:
        return _FORMATS[path.suffix](path)
    except OSError as problem:
        raise UserError(f"cannot read {str(path)!r}: {problem.strerror}") from problem


def _open_folder(folder: Path, split: str | None) -> tuple[Source, str]:
    files = _split_files(folder)
    if not files:
        raise UserError(
            f"the folder {str(folder)!r} holds no <split>.parquet and no data/<split>-00000-of-00001.parquet"
        )
    chosen = choose_split(str(folder), split, list(files))
    paths = files[chosen]
    shard = _SHARD.fullmatch(paths[0].stem)
    if shard and len(paths) != int(shard["count"]):
        raise UserError(f"{str(folder)!r} holds {len(paths)} of the {int(shard['count'])} shards of {chosen!r}")
    return open_parquet(paths, str(paths[0] if len(paths) == 1 else folder)), chosen


def _split_files(folder: Path) -> dict[str, list[Path]]:
    """Return the parquet files of each split, shards in order."""
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.glob("*.parquet")) or sorted(folder.glob("data/*.parquet")):
        shard = _SHARD.fullmatch(path.stem)
        files[shard["split"] if shard else path.stem].append(path)
    return dict(files)
