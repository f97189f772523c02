"""Shards: one run made in parts, each a run folder of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from unfool.errors import UserError, counted
from unfool.runs._folder import SHARDS, is_finished, is_run

SHARD = "shard"
"""The setting by which a run says that it is a part."""

_TYPED = re.compile(r"(\d{1,6})/(\d{1,6})", re.ASCII)
_FOLDER = re.compile(r"\d+-of-\d+", re.ASCII)


class Shard(NamedTuple):
    """One part of a run's samples: every ``of``-th, from the ``number``-th on."""

    number: int
    of: int

    @classmethod
    def read(cls, typed: str) -> Shard:
        """Read what a person types, such as ``3/16``.

        Raises:
            UserError: If it names no part.
        """
        found = _TYPED.fullmatch(typed)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UserError(f"--shard {typed}: give K/N with K from 1 to N, such as 3/16")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def places(self) -> slice:
        """The places of its samples among all."""
        return slice(self.number - 1, None, self.of)

    def folder(self, run: Path) -> Path:
        """Return where the shard of a run lies."""
        return run / SHARDS / f"{self.number:0{len(str(self.of))}}-of-{self.of}"


def shard_folders(folder: Path) -> list[Path]:
    """Return the shards that lie below a run's folder; a shard's own folder is the only one of its own."""
    if _FOLDER.fullmatch(folder.absolute().name) and is_run(folder):
        return [folder]
    below = folder / SHARDS
    return sorted(path for path in below.iterdir() if is_run(path)) if below.is_dir() else []


def describe_shards(folder: Path) -> str:
    """Say what to do with a folder that holds a run's shards, but not yet the run; empty if it holds none."""
    found = [] if is_run(folder) else shard_folders(folder)
    if not found:
        return ""
    done = sum(map(is_finished, found))
    shards = counted(len(found), "shard", "shards")
    return f"it holds {shards} of one, {done} finished; `unfool merge {folder}` puts them together"
