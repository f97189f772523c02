"""The folder of an evaluation: its settings, the parts that are done, its runs and its summary."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from unfool.runs import Run, is_run, nothing_done
from unfool.storage import Kind, WorkFolder

SUMMARY, _RUNS = "summary.json", "runs"


def _is_leftover(path: Path) -> bool:
    return path.name == _RUNS and path.is_dir() and all(map(nothing_done, path.iterdir()))


EVALUATION = Kind("an evaluation", "evaluation.json", leftover=_is_leftover)


def finished_run(folder: WorkFolder, name: str, make: Callable[[Path, bool], Run], parts: Iterable[str]) -> Run:
    """Return a run of an evaluation, made or finished now; samples that were left without a result are tried again.

    Args:
        folder: The folder of the evaluation.
        name: What the run's folder is called.
        make: Gets the run's folder, and whether to resume.
        parts: The parts made of the run's outcomes; if these become more, the parts are made anew.
    """
    place = folder.path / _RUNS / name
    if is_run(place) and (run := Run.open(place)).whole:
        return run
    # First: killed behind a run that has more outcomes now, an evaluation must not find parts made of fewer.
    for part in parts:
        (folder.path / f"{part}.json").unlink(missing_ok=True)
    return make(place, is_run(place))
