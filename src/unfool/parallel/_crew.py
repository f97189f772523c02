"""Work on one model at a time, or on several in processes that keep what they have loaded."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from itertools import islice
from typing import Any, Generic, NamedTuple, Self, TypeVar

from unfool.devices import gpu_is_full
from unfool.errors import UserError
from unfool.parallel._processes import process_pool

Job = TypeVar("Job")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

_ENDED_EARLY = "its process ended early; use fewer workers"
_MEMORY_FULL = "the GPU's memory is full; use fewer workers"
_ALONE_IT_MAY_DO = (_ENDED_EARLY, _MEMORY_FULL)

_shared: Any = None
"""What the jobs of a worker process share."""


class Done(NamedTuple, Generic[Job, Result]):
    """A job with its result, or with what went wrong."""

    job: Job
    result: Result | None
    problem: str | None


class Crew(Generic[Shared]):
    """Does jobs in this process, or in several.

    Args:
        workers: How many processes; with one, the work is done here.
        shared: What every job needs; it is sent once to each process.
    """

    def __init__(self, workers: int, shared: Shared) -> None:
        self.workers, self._shared = workers, shared
        self._pool: ProcessPoolExecutor | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if self.workers > 1:
            self._pool = self._start()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._open.__exit__(*problem)

    def do(
        self, work: Callable[[Shared, Job], Result], jobs: Sequence[Job], seconds: float | None = None
    ) -> Iterator[Done[Job, Result]]:
        """Do every job and yield each as soon as it is done; one that fails does not keep others from it.

        Jobs that find the GPU's memory full beside others are done again by themselves, when those are done; so are
        those under way when a process ends early, since nobody knows which of them ended it. Processes that are
        lost are replaced.

        Raises:
            TimeoutError: If several processes have not done all of them within so many seconds.
        """
        if self._pool is None:
            for job in jobs:
                yield _try(work, self._shared, job)
            return
        ends = None if seconds is None else time.monotonic() + seconds
        waiting, again = iter(jobs), list[Job]()
        # No more than can be worked on: what waits in a pool is lost with it.
        under_way = {self._submit(work, job): job for job in islice(waiting, self.workers)}
        while under_way:
            ended, _ = wait(under_way, ends and ends - time.monotonic(), FIRST_COMPLETED)
            if not ended:
                raise TimeoutError
            found = [_outcome(future, under_way.pop(future)) for future in ended]
            under_way |= {self._submit(work, job): job for job in islice(waiting, len(found))}
            again += [done.job for done in found if done.problem in _ALONE_IT_MAY_DO]
            yield from (done for done in found if done.problem not in _ALONE_IT_MAY_DO)
        for job in again:
            yield _outcome(self._submit(work, job), job, ends and ends - time.monotonic())

    def _start(self) -> ProcessPoolExecutor:
        return self._open.enter_context(process_pool(self.workers, partial(_begin, self._shared)))

    def _submit(self, work: Callable[[Shared, Job], Result], job: Job) -> Future[Done[Job, Result]]:
        assert self._pool is not None
        try:
            return self._pool.submit(_do, work, job)
        except BrokenProcessPool:
            self._pool = self._start()
            return self._pool.submit(_do, work, job)


def _begin(shared: Any) -> None:
    global _shared
    _shared = shared


def _outcome(future: Future[Done[Job, Result]], job: Job, seconds: float | None = None) -> Done[Job, Result]:
    try:
        return future.result(seconds)
    except BrokenProcessPool:
        return Done(job, None, _ENDED_EARLY)


def _do(work: Callable[[Any, Job], Result], job: Job) -> Done[Job, Result]:
    return _try(work, _shared, job)


def _try(work: Callable[[Shared, Job], Result], shared: Shared, job: Job) -> Done[Job, Result]:
    try:
        return Done(job, work(shared, job), None)
    except UserError as error:
        return Done(job, None, str(error))
    except Exception as error:  # a victim is somebody's code, and may raise anything
        return Done(job, None, _MEMORY_FULL if gpu_is_full(error) else f"{type(error).__name__}: {error}")
    finally:
        free_models()


def free_models() -> None:
    """Let go of what nobody holds any more; nets hold each other in rings, and a GPU keeps what it once gave."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
