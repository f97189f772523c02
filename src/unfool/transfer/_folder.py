"""The folder of a study: where its parts lie, and the file of each target's answers.

A column of the matrix is what one target answers about the texts of every source, a line each.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unfool.errors import RESUME, UserError
from unfool.storage import Log, check_fields, cut_torn_end, to_json, whole_lines


class Places(NamedTuple):
    """The folder of a study."""

    folder: Path

    @property
    def study(self) -> Path:
        """The file of its names and settings."""
        return self.folder / "study.json"

    @property
    def matrix(self) -> Path:
        """The file of its rates, once all is done."""
        return self.folder / "matrix.json"

    @property
    def runs(self) -> Path:
        """The folder of its runs."""
        return self.folder / "sources"

    @property
    def cells(self) -> Path:
        """The folder of its columns."""
        return self.folder / "cells"

    def run(self, source: str) -> Path:
        """Return the folder of the run against a source."""
        return self.runs / file_name(source)

    def column(self, target: str) -> Column:
        """Return a target's column."""
        return Column(self.cells / f"{file_name(target)}.jsonl")


def file_name(name: str) -> str:
    """Return a name that any file system takes, readable and different for different victims."""
    readable = re.sub(r"[^\w.@#+-]+", "-", name).strip("-")[:80]
    return f"{readable}~{hashlib.sha256(name.encode('utf-8', 'backslashreplace')).hexdigest()[:8]}"


class Counts(NamedTuple):
    """What a cell comes to."""

    texts: int
    """Texts that fool the source."""
    fooled: int
    """Those of them the target has wrong."""
    right: int
    """Those of them whose original the target has right."""
    fooled_right: int
    """Those that are both."""


class Cell(NamedTuple):
    """A target's answers about the texts of a source, labels numbered as in the data set."""

    source: str
    texts: str
    """The digest of the texts."""
    fingerprint: str | None
    """The target's."""
    gold: Sequence[int]
    before: Sequence[int]
    """Its answers about the originals."""
    after: Sequence[int]
    """Its answers about the texts that fool the source."""

    @property
    def counts(self) -> Counts:
        """Count the answers that are wrong."""
        right = [before == gold for before, gold in zip(self.before, self.gold, strict=True)]
        wrong = [after != gold for after, gold in zip(self.after, self.gold, strict=True)]
        return Counts(len(right), sum(wrong), sum(right), sum(map(min, right, wrong)))


class Column:
    """The file of a target's cells. Lines are only added, so that a kill costs the line that was being written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def cells(self) -> dict[str, Cell]:
        """Return the cells by source; of two, the later."""
        if not self.path.exists():
            return {}
        try:
            cells = [_cell(line) for _, line in whole_lines(self.path)]
        except (ValueError, TypeError, RecursionError) as error:
            raise UserError(f"{self.path} is damaged; remove it and add {RESUME} to fill it again") from error
        return {cell.source: cell for cell in cells}

    def add(self, cells: Sequence[Cell]) -> None:
        """Append cells and wait until the disk has them."""
        self.path.touch()
        cut_torn_end(self.path)
        with Log(self.path) as log:
            for cell in cells:
                log.add(to_json(cell._asdict()) + b"\n")
            log.sync()


def _cell(line: bytes) -> Cell:
    cell = Cell(**json.loads(line))
    check_fields(cell)
    if not len(cell.gold) == len(cell.before) == len(cell.after):
        raise ValueError("not as many answers as texts")
    return cell
