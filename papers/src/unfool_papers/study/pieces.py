"""Pieces of work that need others, done side by side; each finished piece is kept and never done twice."""

from __future__ import annotations

import json
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NamedTuple

from unfool.errors import UserError
from unfool.parallel import free_models, process_pool
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
    teller = _Teller(len(jobs), say)
    teller(f"{len(results.kept)} of {len(jobs)} pieces are done")
    last = time.monotonic() + threading.TIMEOUT_MAX if ends is None else ends
    try:
        if workers == 1:
            _alone(todo, folder, last, results, teller)
        else:
            _together(todo, folder, last, results, teller, workers)
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


def _alone(todo: list[Job], folder: Path, ends: float, results: Results, say: _Teller) -> None:
    while job := _next(todo, results):
        if time.monotonic() > ends:
            raise TimeoutError
        say.done(job.name, results, _do(job, folder))


def _together(todo: list[Job], folder: Path, ends: float, results: Results, say: _Teller, workers: int) -> None:
    with process_pool(workers) as pool:
        under_way: dict[Future[_Done], Job] = {}
        while True:
            while len(under_way) < workers and (job := _next(todo, results)):
                under_way[pool.submit(_do, job, folder)] = job
            if not under_way:
                return
            done = wait(under_way, max(0.0, ends - time.monotonic()), FIRST_COMPLETED).done
            if not done:
                raise TimeoutError  # ends the processes
            for future in done:
                job = under_way.pop(future)
                try:
                    say.done(job.name, results, future.result())
                except BrokenProcessPool:
                    say.done(job.name, results, _Done(None, "its process ended early; use fewer workers", 0.0))


class _Done(NamedTuple):
    result: Kept | None
    problem: str
    seconds: float


def _next(todo: list[Job], results: Results) -> Job | None:
    """Take the first job whose needs are met."""
    for number, job in enumerate(todo):
        if all(need in results.kept for need in job.needs):
            return todo.pop(number)
    return None


def _do(job: Job, folder: Path) -> _Done:
    began = time.perf_counter()
    try:
        result = dict(job.work(*job.arguments))
    except UserError as error:
        return _Done(None, str(error), 0.0)
    except Exception:  # the other pieces are worth having all the same
        return _Done(None, traceback.format_exc(), 0.0)
    finally:
        free_models()
    seconds = round(time.perf_counter() - began, 1)
    with replacing(file_of(folder, job.name)) as file:
        file.write(json.dumps(result | {"seconds": seconds}).encode())
    return _Done(result | {"seconds": seconds}, "", seconds)


class _Teller:
    def __init__(self, pieces: int, say: Callable[[str], None]) -> None:
        self._pieces, self._say, self._began = pieces, say, time.perf_counter()

    def __call__(self, said: str) -> None:
        self._say(f"{time.perf_counter() - self._began:6.0f} s  {said}")

    def done(self, name: str, results: Results, done: _Done) -> None:
        if done.result is None:
            results.failed[name] = done.problem
            self(f"{name} FAILED: {done.problem}")
        else:
            results.kept[name] = done.result
            self(f"{name}, {done.seconds:.0f} s; {len(results.kept)} of {self._pieces} pieces are done")
