"""The folder of an evaluation: its settings, what is done of it, and its summary."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from unfool.errors import RESUME, UserError
from unfool.runs import Run
from unfool.storage import (
    JSON,
    explaining,
    goes_on,
    is_run,
    locked,
    make_folder,
    nothing_done,
    replacing,
    to_json,
    told_changes,
)

_CONFIG, _SUMMARY, _RUNS = "evaluation.json", "summary.json", "runs"


class Folder:
    """Keeps each part once it is done, so that an evaluation that was stopped goes on.

    Args:
        path: The folder.
        config: All that decides the figures.
        resume: Whether to go on with what is there, if anything is.
        what: What it holds, as an error calls it.

    Raises:
        UserError: If the folder holds something else, or was begun with other settings.
    """

    def __init__(self, path: Path, config: Mapping[str, JSON], resume: bool, what: str = "an evaluation") -> None:
        self.path, self._what = path, what
        plain: dict[str, JSON] = json.loads(to_json(config))
        self.config = plain
        """As it was begun: what was given in another order is the same, and has the places it had then."""
        with explaining(path, "write", "choose another --out"):
            if goes_on(path, resume, (path / _CONFIG).is_file()):
                self.config = self._begun(plain)
                return
            if not nothing_done(path, _CONFIG):
                begun = (path / _CONFIG).is_file()
                there = f"{what}; add {RESUME} to go on with it" if begun else "other files; choose a new folder"
                raise UserError(f"{path} holds {there}")
            make_folder(path)
            with locked(path):  # another process may be about to do something
                shutil.rmtree(path / _RUNS, ignore_errors=True)
                self.write(_CONFIG, plain)

    def _begun(self, config: Mapping[str, JSON]) -> dict[str, JSON]:
        """Return the settings it was begun with, if they are the same."""
        begun: dict[str, JSON] = json.loads((self.path / _CONFIG).read_bytes())
        if changes := told_changes(begun, config):
            raise UserError(
                f"{self.path} was begun with other settings ({changes}); restore them or use another folder"
            )
        return begun

    def write(self, name: str, value: Mapping[str, Any]) -> None:
        """Write a file, whole or not at all."""
        with replacing(self.path / name) as file:
            file.write(to_json(value, indent=2))

    def part(self, name: str, make: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """Return a part, made now if it was not made before."""
        file = self._file(name)
        if not file.is_file():
            self.write(file.name, make())
        found: dict[str, Any] = json.loads(file.read_bytes())
        return found

    def run(self, name: str, make: Callable[[Path, bool], Run], parts: Iterable[str]) -> Run:
        """Return a run, made or finished now; samples that were left without a result are tried again.

        Args:
            name: What its folder is called.
            make: Gets the folder, and whether to resume.
            parts: Those made of the run's outcomes; where these become more, they are made anew.
        """
        folder = self.path / _RUNS / name
        if is_run(folder) and (run := Run.open(folder)).whole:
            return run
        # First: killed behind a run that has more outcomes now, an evaluation must not find parts made of fewer.
        for part in parts:
            self._file(part).unlink(missing_ok=True)
        return make(folder, is_run(folder))

    def finish(self, summary: Mapping[str, Any]) -> None:
        """Write the summary."""
        self.write(_SUMMARY, summary)

    def _file(self, part: str) -> Path:
        return self.path / f"{part}.json"
