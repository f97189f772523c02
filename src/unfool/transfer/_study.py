"""The folder of a study: a run for every source, and a column of answers for every target."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from unfool.errors import RESUME, UserError
from unfool.labels import told_in_order
from unfool.runs import Run, is_finished, nothing_done
from unfool.stats import Rate
from unfool.storage import (
    JSON,
    Kind,
    Log,
    check_fields,
    cut_torn_end,
    fits,
    is_config,
    read_json,
    reading,
    replacing,
    to_json,
    whole_lines,
)
from unfool.transfer._matrix import Matrix

_NAMES: dict[str, Any] = {
    "victims": list[str], "twins": dict[str, str], "sources": list[str], "problems": dict[str, str],
}  # fmt: skip


def _is_leftover(path: Path) -> bool:
    if path.name == "cells":
        return path.is_dir() and not any(path.iterdir())
    return path.name == "sources" and path.is_dir() and all(map(nothing_done, path.iterdir()))


STUDY = Kind("a study", "study.json", inside="settings", leftover=_is_leftover)


class Study:
    """What is kept of a study; `study` makes one, `Study.open` reads one.

    Attributes:
        places: Where it lies.
        settings: All that decides what is in a cell.
        victims: The models, sources and targets alike.
        twins: For each model that has one, its twin, which is only a target.
        sources: Victims that are only sources, such as ensembles.
        problems: What went wrong in the last sitting, by the name of the victim.
    """

    def __init__(self, folder: str | Path, settings: Mapping[str, JSON], names: Mapping[str, Any]) -> None:
        self.places, self.settings = Places(Path(folder)), dict(settings)
        self.victims: list[str] = list(names.get("victims", ()))
        self.twins: dict[str, str] = dict(names.get("twins", {}))
        self.sources: list[str] = list(names.get("sources", ()))
        self.problems: dict[str, str] = dict(names.get("problems", {}))
        self._rates: dict[str, dict[str, tuple[Rate, Rate]]] = {}

    @classmethod
    def open(cls, folder: str | Path) -> Study:
        """Open a study to read it, finished or not.

        Raises:
            UserError: If the folder holds none.
        """
        places = Places(Path(folder))
        if not places.study.is_file():
            raise UserError(f"{folder} is not a study; give the folder that `unfool transfer --out` made")
        with reading(places.folder):
            written = read_json(places.study)
        if not _is_study(written):
            raise UserError(f"{places.study} does not describe a study; restore it, or give another folder")
        return cls(folder, written["settings"], written)

    @property
    def targets(self) -> list[str]:
        """The victims and their twins."""
        return list(dict.fromkeys([*self.victims, *self.twins.values()]))

    @property
    def labels_in_order(self) -> list[str]:
        """Say of each source that calls the labels otherwise which of its labels is taken for which."""
        found = []
        for name in [*self.victims, *self.sources]:
            if is_finished(self.places.run(name)):
                config: Mapping[str, Any] = self.run(name).config
                ours, theirs = config["data_labels"], config.get("victim_labels", config["labels"])
                found.append(told_in_order(str(self.settings["data"]), ours, name, theirs))
        return [sentence for sentence in found if sentence]

    def run(self, source: str) -> Run:
        """Return the run that attacked a source."""
        return Run.open(self.places.run(source))

    def rate(self, source: str, target: str, *, corrected: bool = False) -> Rate | None:
        """Return how often texts that fool the source fool the target; of a model with itself, with its twin.

        Args:
            source: The victim the texts were crafted on.
            target: The victim they are tried on.
            corrected: Whether to count only texts whose original the target has right. Without, as Yuan et al.
                (2021) count, what the target has wrong anyway is fooled, too.
        """
        tried = self.twins.get(target) if source == target else target
        if tried is None:
            return None
        if tried not in self._rates:
            cells = self.places.column(tried).cells()
            self._rates[tried] = {name: cell.rates for name, cell in cells.items()}
        found = self._rates[tried].get(source)
        return found and found[corrected]

    def matrix(self, *, corrected: bool = False, extra: bool = False) -> Matrix:
        """Return all rates, base rates on the diagonal.

        Args:
            corrected: See `rate`.
            extra: Whether to add a row for each victim that is only a source.
        """
        sources = [*self.victims, *(self.sources if extra else ())]
        rates = np.full((len(sources), len(self.victims)), np.nan)
        texts = np.zeros(rates.shape, dtype=np.int64)
        for row, source in enumerate(sources):
            for column, target in enumerate(self.victims):
                found = self.rate(source, target, corrected=corrected)
                if found and found.value is not None:
                    rates[row, column], texts[row, column] = found.value, found.of
        return Matrix(tuple(sources), tuple(self.victims), rates, texts)

    def write(self) -> None:
        """Write the settings, the names, and what went wrong."""
        names = {name: getattr(self, name) for name in _NAMES}
        with replacing(self.places.study) as file:
            file.write(to_json({"settings": self.settings, **names}, indent=1))


def _is_study(written: object) -> TypeGuard[dict[str, Any]]:
    if not is_config(written) or not is_config(written.get("settings")):
        return False
    # Killed as it began, a study has no names yet.
    return all(fits(written.get(key, kind()), kind) for key, kind in _NAMES.items())


class Places:
    """Where the parts of a study lie.

    Attributes:
        study: The file of its names and settings.
        matrix: The file of its rates, once all is done.
        runs: The folder of its runs.
        cells: The folder of its columns.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.study, self.matrix = folder / "study.json", folder / "matrix.json"
        self.runs, self.cells = folder / "sources", folder / "cells"

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
    def rates(self) -> tuple[Rate, Rate]:
        """How often the texts fool the target: of all of them, and of those whose original it has right."""
        right = [before == gold for before, gold in zip(self.before, self.gold, strict=True)]
        wrong = [after != gold for after, gold in zip(self.after, self.gold, strict=True)]
        return Rate(sum(wrong), len(wrong)), Rate(sum(map(min, right, wrong)), sum(right))


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
