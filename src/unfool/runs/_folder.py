"""The files of a run folder."""

from __future__ import annotations

from pathlib import Path

from unfool.storage import Kind

CONFIG = "config.json"
ENVIRONMENT = "environment.json"
OUTCOMES = "outcomes.jsonl"
FAILURES = "failures.jsonl"
TRACEBACKS = "tracebacks.txt"
SUMMARY = "summary.json"


def _is_leftover(path: Path) -> bool:
    # What a run that ended before its first outcome leaves behind; an outcome is somebody's.
    if path.name == OUTCOMES:
        return path.stat().st_size == 0
    return path.name in (ENVIRONMENT, FAILURES, TRACEBACKS)


RUN = Kind("a run", CONFIG, marks=(OUTCOMES,), leftover=_is_leftover)


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run, finished or not."""
    return RUN.lies_in(folder)


def is_finished(folder: Path) -> bool:
    """Whether a folder holds a run in which every sample was tried."""
    return (folder / SUMMARY).is_file()


def nothing_done(folder: Path) -> bool:
    """Whether a folder holds at most a run without an outcome: what holds other work may start over."""
    return RUN.nothing_done(folder)


def runs_near(folder: Path) -> list[Path]:
    """Return the run folders inside a folder, or if there are none, those beside it."""
    for place in (folder, folder.absolute().parent):
        if place.is_dir() and (found := sorted(path for path in place.iterdir() if is_run(path))):
            return found
    return []
