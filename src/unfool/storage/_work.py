"""The folder of a piece of work that is begun once and resumed as often as it is stopped."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from unfool.errors import RESUME, UserError
from unfool.storage._changes import as_stored, describe_changes, is_config
from unfool.storage._files import HALF_WRITTEN, LOCK, explaining, locked, make_folder, replacing
from unfool.storage._json import JSON, read_json, to_json


@dataclass(frozen=True)
class Kind:
    """A kind of work that lies in folders of its own.

    Attributes:
        name: What errors call it, such as ``a run``.
        settings: The file with its settings.
        marks: Files that a folder of this kind also has; the settings alone could be something else's.
        inside: The key of the settings in their file, if the file holds more than them.
        leftover: Tells of a path in the folder whether it holds no result, and may be removed by a new start.
        beside: Tells of a path whether it may be in the folder before the work begins, and stays there.
    """

    name: str
    settings: str
    marks: tuple[str, ...] = ()
    inside: str = ""
    leftover: Callable[[Path], bool] = lambda path: False
    beside: Callable[[Path], bool] = lambda path: False

    def lies_in(self, folder: Path) -> bool:
        """Whether work of this kind has begun in a folder."""
        return all((folder / name).is_file() for name in (self.settings, *self.marks))

    def nothing_done(self, folder: Path) -> bool:
        """Return whether a folder is missing, empty, or holds only what work without a result leaves behind."""
        return not folder.is_dir() or all(
            self.is_removable(path) or path.name.endswith(HALF_WRITTEN) for path in folder.iterdir()
        )

    def is_removable(self, path: Path) -> bool:
        """Whether a path in the folder is this kind's own and holds no result."""
        return path.name.removesuffix(HALF_WRITTEN) in (LOCK, self.settings) or self.leftover(path)

    def read_settings(self, folder: Path) -> dict[str, JSON]:
        """Return the settings of the work in a folder."""
        found = read_json(folder / self.settings)
        if self.inside and isinstance(found, dict):
            found = found.get(self.inside)
        if not is_config(found):
            raise UserError(f"{folder / self.settings} does not hold the settings of {self.name}; restore it")
        return found


class WorkFolder:
    """A folder with work under way, held by this process until it is closed; use it in ``with``.

    With ``resume`` the work may have begun or not: a job that is killed and started again need not know. An error
    that ends the ``with`` before anything was done leaves no folder behind.

    Args:
        path: The folder. It is refused if it holds something else, work that is not to be resumed, or work with
            other settings.
        kind: What lies in it.
        config: All that decides the result.
        resume: Go on with the work in the folder; start it if there is none.
        quiet: Do not tell that there is nothing to resume.

    Attributes:
        config: The settings as they were stored when the work began. What was given in another order since is the
            same, and keeps its old place here.
        resumed: Whether this goes on with work that had begun.
    """

    def __init__(
        self, path: Path, kind: Kind, config: Mapping[str, JSON], resume: bool = False, *, quiet: bool = False
    ) -> None:
        self.path, self.kind, self.config = path, kind, as_stored(config)
        with reading(path):
            self.resumed = self._goes_on() if resume else self._starts()
        if resume and not self.resumed and not quiet:
            # The name may be misspelt.
            print(f"there is nothing in {path} to resume: this starts it", file=sys.stderr)
        with self.writing() if self.resumed else explaining(path, "write", "choose another folder"):
            self._was_there = path.exists()
            make_folder(path)
            with ExitStack() as held:
                held.enter_context(locked(path))
                if not self.resumed:
                    self._clear()
                    self.write(kind.settings, {kind.inside: self.config} if kind.inside else self.config)
                self._held = held.pop_all()

    def _goes_on(self) -> bool:
        """Return whether there is work to go on with; settings without results may give way to others."""
        if not self.kind.lies_in(self.path):
            return self._starts()
        begun = self.kind.read_settings(self.path)
        if changes := describe_changes(begun, self.config):
            if self.kind.nothing_done(self.path):
                return False
            raise UserError(
                f"{self.path} was begun with other settings ({changes}); restore them or choose another folder"
            )
        self.config = begun
        return True

    def _starts(self) -> bool:
        """Return False, as for nothing to go on with; refuse a folder in which something would be lost."""
        if self.kind.nothing_done(self.path):
            return False
        if self.kind.lies_in(self.path):
            raise UserError(
                f"{self.path} holds {self.kind.name} already; "
                f"add {RESUME} to go on with it, or choose another folder"
            )
        if all(self.kind.is_removable(path) or self.kind.beside(path) for path in self.path.iterdir()):
            return False
        raise UserError(f"{self.path} holds other files; choose a new or an empty folder")

    def part(self, name: str, make: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """Return a part of the work, made now if it was not made before, and kept as ``NAME.json``."""
        file = self.path / f"{name}.json"
        if not file.is_file():
            self.write(file.name, make())
        found: dict[str, Any] = json.loads(file.read_bytes())
        return found

    def write(self, name: str, value: Mapping[str, Any]) -> None:
        """Write a file of JSON, whole or not at all."""
        with replacing(self.path / name) as file:
            file.write(to_json(value, indent=2))

    def writing(self) -> AbstractContextManager[None]:
        """Turn an error of the disk into one line that says how to go on."""
        return explaining(self.path, "write", f"what was done is kept: mend that and add {RESUME}")

    def take_back(self) -> None:
        """Remove what work without a result leaves behind, and the folder unless it was there before."""
        self._clear()
        (self.path / LOCK).unlink(missing_ok=True)
        if not self._was_there:
            with suppress(OSError):  # somebody else may have put something there
                self.path.rmdir()

    def close(self) -> None:
        """Let go of the folder."""
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        with self._held:
            if error is not None and self._is_untouched():
                self.take_back()

    def _is_untouched(self) -> bool:
        """Whether nothing was written but the settings, not even why something failed."""
        files = (path for path in self.path.rglob("*") if not path.is_dir())
        own = (LOCK, self.kind.settings)
        return all(path.name.removesuffix(HALF_WRITTEN) in own for path in files)

    def _clear(self) -> None:
        for path in self.path.iterdir():
            if path.name != LOCK and self.kind.is_removable(path):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def reading(folder: Path) -> AbstractContextManager[None]:
    """Turn an error of the disk, or a damaged file, into one line."""
    return explaining(folder, "read", "check that its files are whole and that you may read them")
