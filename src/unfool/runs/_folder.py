"""The files of a run folder, and one session of writing to them."""

from __future__ import annotations

import platform
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from unfool.engine import Failure
from unfool.storage import JSON, Kind, Log, WorkFolder, cut_torn_end, read_json

CONFIG = "config.json"
ENVIRONMENT = "environment.json"
OUTCOMES = "outcomes.jsonl"
FAILURES = "failures.jsonl"
TRACEBACKS = "tracebacks.txt"
SUMMARY = "summary.json"
SHARDS = "shards"


def _is_leftover(path: Path) -> bool:
    # What a run that ended before its first outcome leaves behind; an outcome is somebody's.
    if path.name == OUTCOMES:
        return path.stat().st_size == 0
    return path.name in (ENVIRONMENT, FAILURES, TRACEBACKS)


RUN = Kind(
    "a run",
    CONFIG,
    marks=(OUTCOMES,),
    leftover=_is_leftover,
    beside=lambda path: path.name == SHARDS,
)


def is_run(folder: Path) -> bool:
    """Return whether a folder holds a run, finished or not."""
    return RUN.lies_in(folder)


def is_finished(folder: Path) -> bool:
    """Return whether a folder holds a run in which every sample was tried."""
    return (folder / SUMMARY).is_file()


def nothing_done(folder: Path) -> bool:
    """Return whether a folder holds at most a run without an outcome: what holds other work may start over."""
    return RUN.nothing_done(folder)


def runs_near(folder: Path) -> list[Path]:
    """Return the run folders inside a folder, or if there are none, those beside it."""
    for place in (folder, folder.absolute().parent):
        if place.is_dir() and (found := sorted(path for path in place.iterdir() if is_run(path))):
            return found
    return []


_PACKAGES = (
    "unfool", "numpy", "regex", "nltk", "torch", "transformers", "tokenizers", "datasets", "scikit-learn",
)  # fmt: skip


class Session:
    """Holds the folder's lock and its two open logs, and keeps a note of itself in ``environment.json``."""

    def __init__(
        self, work: WorkFolder, facts: Mapping[str, JSON], earlier: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self.work = work
        folder = work.path
        self._began = time.monotonic()
        with ExitStack() as held:
            held.enter_context(work)
            (folder / SUMMARY).unlink(missing_ok=True)
            self.failures = held.enter_context(Log(folder / FAILURES, anew=True))
            self.tracebacks = Tracebacks(folder / TRACEBACKS)
            path = folder / ENVIRONMENT
            self._past: list[Any] = list(read_json(path)["sessions"]) if path.exists() else [*earlier]
            self._note: dict[str, Any] = {
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "seconds": None,  # stays so if the process is killed
                **environment(),
                **facts,
            }
            self.work.write(ENVIRONMENT, {"sessions": [*self._past, self._note]})
            # Last: with its outcomes the folder is a run, and everything a run has must be there.
            (folder / OUTCOMES).touch()
            cut_torn_end(folder / OUTCOMES)
            self.outcomes = held.enter_context(Log(folder / OUTCOMES))
            self._held = held.pop_all()

    def flush(self) -> None:
        """Write what the logs hold back."""
        self.outcomes.flush()
        self.failures.flush()
        self.tracebacks.flush()

    def seal(self) -> None:
        """Bring the logs to the disk and note how long the session took."""
        self.outcomes.sync()
        self.failures.sync()
        self.tracebacks.flush()
        self._note["seconds"] = round(time.monotonic() - self._began, 3)
        self.work.write(ENVIRONMENT, {"sessions": [*self._past, self._note]})

    def end(self) -> None:
        """Close the logs and let go of the folder."""
        self._held.close()


@cache
def environment() -> dict[str, str | dict[str, str]]:
    """Return the Python, the platform and the versions of the packages a result may depend on."""
    versions: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {"python": platform.python_version(), "platform": platform.platform(), "packages": versions}


class Tracebacks:
    """A file for people to read; there is none until there is a bug, nor one of a session before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._path.unlink(missing_ok=True)
        self._known = set[str]()
        self._waiting = list[str]()

    def add(self, failure: Failure) -> None:
        """Keep the traceback of a failure for the next `flush`, unless one went the same way before."""
        way = "\n".join(line for line in failure.traceback.splitlines() if line.startswith("  File "))
        if failure.traceback and way not in self._known:
            self._known.add(way)
            self._waiting.append(f"sample {failure.id}\n{failure.traceback}\n")

    def flush(self) -> None:
        """Write what is waiting."""
        if self._waiting:
            added, self._waiting = "".join(self._waiting), []
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(added)
