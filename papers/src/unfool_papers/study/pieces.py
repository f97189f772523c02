"""Pieces of work that need others, done side by side; each finished piece is kept and never done twice."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from unfool.parallel import Workers, on_this_machine
from unfool.storage import replacing

Kept = dict[str, Any]


class Job(NamedTuple):
    """A piece of work; those that take longest stand first among their like."""

    name: str
    work: Callable[..., Mapping[str, Any]]
    """A function of a module, which other processes can find."""
    arguments: tuple[Any, ...]
    needs: tuple[str, ...] = ()


class Results(NamedTuple):
    """What jobs came to, by name, why others failed, and which were left for another time."""

    kept: dict[str, Kept]
    failed: dict[str, str]
    left: list[str]


def file_of(folder: Path, name: str) -> Path:
    """Return the file a finished job is kept in."""
    return folder / "done" / f"{name}.json"


def finished(jobs: Sequence[Job], folder: Path) -> dict[str, Kept]:
    """Return what was done before."""
    files = {job.name: file_of(folder, job.name) for job in jobs}
    return {name: json.loads(file.read_bytes()) for name, file in files.items() if file.is_file()}


def do_all(
    jobs: Sequence[Job], folder: Path, workers: int, say: Callable[[str], None], ends: float | None = None
) -> Results:
    """Do all that is not done, as soon as what it needs is there; one that fails stops only those that need it.

    Args:
        jobs: The pieces, of those that could be begun the first first.
        folder: Where finished pieces are kept.
        workers: How many are done at once.
        say: Is told what was done.
        ends: When to stop, by `time.monotonic`: pieces under way are then left as they are and gone on with another
            time, but where there is one worker it finishes its piece.
    """
    file_of(folder, "").parent.mkdir(parents=True, exist_ok=True)
    results = Results(finished(jobs, folder), {}, [])
    todo = [job for job in jobs if job.name not in results.kept]
    teller = _Teller(say)
    teller(f"{len(results.kept)} of {len(jobs)} pieces are done")
    try:
        # What one piece needs of another, it finds by path: they stay where these paths lead.
        with on_this_machine(), Workers(workers, folder) as processes:
            for done in processes.do(_do, _in_order(todo, results), ends=ends):
                if done.result is not None:
                    results.kept[done.job.name] = done.result
                    seconds = f"{done.result['seconds']:.0f} s"
                    teller(f"{done.job.name}, {seconds}; {len(results.kept)} of {len(jobs)} pieces are done")
                elif done.problem:
                    results.failed[done.job.name] = done.problem.traceback or str(done.problem)
                    teller(f"{done.job.name} FAILED: {results.failed[done.job.name]}")
    except TimeoutError:
        teller("time is up")
    for job in jobs:
        if job.name in results.kept or job.name in results.failed:
            continue
        if any(need in results.failed for need in job.needs):
            results.failed[job.name] = "left out, since what it needs failed"
        else:
            results.left.append(job.name)
    return results


def _in_order(todo: list[Job], results: Results) -> Iterator[Job | None]:
    """Yield the first job whose needs are met, and None where all must wait for one that is under way."""
    while todo:
        job = next((job for job in todo if all(need in results.kept for need in job.needs)), None)
        if job:
            todo.remove(job)
        yield job


def _do(folder: Path, job: Job) -> Kept:
    began = time.perf_counter()
    result = dict(job.work(*job.arguments))
    kept = result | {"seconds": round(time.perf_counter() - began, 1)}
    with replacing(file_of(folder, job.name)) as file:
        file.write(json.dumps(kept).encode())
    return kept


class _Teller:
    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._began = say, time.perf_counter()

    def __call__(self, said: str) -> None:
        self._say(f"{time.perf_counter() - self._began:6.0f} s  {said}")
