"""A study as it is kept: a run for every source, a column of answers for every target."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np

from unfool.errors import UserError
from unfool.labels import told_in_order
from unfool.runs import Run, is_finished, nothing_done
from unfool.stats import Rate
from unfool.storage import JSON, Kind, fits, is_config, read_json, reading, replacing, to_json
from unfool.transfer._folder import Counts, Places
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
        self._counts: dict[str, dict[str, Counts]] = {}

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

    def counts(self, source: str, target: str) -> Counts | None:
        """Return what a cell comes to; None where it is not filled."""
        if target not in self._counts:
            cells = self.places.column(target).cells()
            self._counts[target] = {name: cell.counts for name, cell in cells.items()}
        return self._counts[target].get(source)

    def rate(self, source: str, target: str, *, corrected: bool = False) -> Rate | None:
        """Return how often texts that fool the source fool the target; of a model with itself, with its twin.

        Args:
            source: The victim the texts were crafted on.
            target: The victim they are tried on.
            corrected: Whether to count only texts whose original the target has right. Without, as Yuan et al.
                (2021) count, what the target has wrong anyway is fooled, too.
        """
        tried = self.twins.get(target) if source == target else target
        found = self.counts(source, tried) if tried else None
        if found is None:
            return None
        return Rate(found.fooled_right, found.right) if corrected else Rate(found.fooled, found.texts)

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
