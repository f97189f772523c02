"""Jobs done one after the other in this process, or side by side in others."""

from __future__ import annotations

import gc
import os
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from enum import Enum
from functools import partial
from itertools import islice
from typing import Any, Generic, NamedTuple, Self, TypeVar

from unfool.devices import gpu_is_full, gpu_is_lost
from unfool.errors import RESUME, UserError
from unfool.parallel._processes import process_pool

Job = TypeVar("Job")
Shared = TypeVar("Shared")
Result = TypeVar("Result")

_shared: Any = None
"""What all jobs of a worker process need."""


class Cause(Enum):
    """What kept a job from having a result."""

    USER_ERROR = "the user gave something that cannot be used"
    BUG = "an error nobody thought of"
    ENDED_EARLY = "its process ended early; use fewer workers"
    MEMORY_FULL = "the GPU's memory is full; use fewer workers"


_MAY_WORK_ALONE = (Cause.ENDED_EARLY, Cause.MEMORY_FULL)


class Problem(NamedTuple):
    """Why a job has no result: words, since these travel between processes safely and exceptions need not."""

    cause: Cause
    message: str
    traceback: str = ""

    def __str__(self) -> str:
        return self.message

    def error(self) -> UserError:
        """Return the error that ends the whole work; what was done is kept."""
        go_on = f"what was done is kept: use fewer workers and add {RESUME}"
        match self.cause:
            case Cause.USER_ERROR:
                return UserError(self.message)
            case Cause.BUG:
                advice = f"what was done is kept: use {RESUME}, and fewer workers if memory was full"
                return UserError(f"a worker stopped: {self.message}; {advice}")
            case Cause.ENDED_EARLY:
                return UserError(f"a worker process ended early; {go_on}")
            case Cause.MEMORY_FULL:
                return UserError(f"the GPU's memory is full; {go_on}")


class Done(NamedTuple, Generic[Job, Result]):
    """A job with its result, or with what went wrong."""

    job: Job
    result: Result | None
    problem: Problem | None = None


class Workers(Generic[Shared]):
    """Does jobs in this process, or in several that are started when they are first needed.

    The processes come from an `Executor`; that of a cluster would do as well.

    Args:
        number: How many processes; with one, the work is done here.
        shared: What every job needs; it is sent to each process once.
    """

    def __init__(self, number: int, shared: Shared) -> None:
        self.number, self._shared = number, shared
        self._pool: Executor | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: Any) -> None:
        self._open.__exit__(*problem)

    def do(
        self,
        work: Callable[[Shared, Job], Result],
        jobs: Iterable[Job | None],
        *,
        ends: float | None = None,
        retry: bool = True,
    ) -> Iterator[Done[Job, Result]]:
        """Do every job and yield each as soon as it is done; one that fails does not keep others from it.

        Args:
            work: A function of a module, which other processes can find.
            jobs: Read as workers become free. None stands for a job that must wait for one that is under way.
            ends: When to stop, by `time.monotonic`. No job is begun later; one in this process is still finished.
            retry: Whether a job is done again by itself at the end if the GPU's memory is full beside others, or
                if it was under way when a process ended early, since nobody knows which of them ended it.

        Raises:
            TimeoutError: Not all of them were done in time.
        """
        if self.number == 1:
            for job in _ready(jobs, ends):
                yield _try(work, self._shared, job)
            return
        waiting, alone, under_way = iter(jobs), deque[Job](), dict[Future[Done[Job, Result]], Job]()
        while True:
            # No more than can be worked on: what waits in a pool is lost with it.
            for job in _ready(islice(waiting, self.number - len(under_way)), ends):
                under_way[self.start(work, job)] = job
            last_try = not retry
            if alone and not under_way:
                last_try, lonely = True, alone.popleft()
                under_way[self.start(work, lonely)] = lonely
            if not under_way:
                return
            ended = wait(under_way, _seconds_to(ends), FIRST_COMPLETED).done
            if not ended:
                raise TimeoutError
            found = [result_of(future, under_way.pop(future)) for future in ended]
            if not last_try:
                alone += [each.job for each in found if _may_work_alone(each)]
                found = [each for each in found if not _may_work_alone(each)]
            yield from found

    def start(self, work: Callable[[Shared, Job], Result], job: Job) -> Future[Done[Job, Result]]:
        """Start a job in another process and return its future; `result_of` reads it."""
        try:
            return self._started().submit(_do, work, job)
        except BrokenProcessPool:
            self._pool = None
            return self._started().submit(_do, work, job)

    def _started(self) -> Executor:
        if self._pool is None:
            self._pool = self._open.enter_context(process_pool(self.number, partial(_share, self._shared)))
        return self._pool


def result_of(future: Future[Done[Job, Result]], job: Job) -> Done[Job, Result]:
    """Wait for a job that was started, also if its process ends early."""
    try:
        return future.result()
    except BrokenProcessPool:
        return Done(job, None, Problem(Cause.ENDED_EARLY, Cause.ENDED_EARLY.value))


def _ready(jobs: Iterable[Job | None], ends: float | None) -> Iterator[Job]:
    """Yield the jobs up to the first that must wait, as long as there is time to begin one."""
    for job in jobs:
        if job is None:
            return
        if _seconds_to(ends) == 0:
            raise TimeoutError
        yield job


def _seconds_to(ends: float | None) -> float | None:
    return None if ends is None else max(0.0, ends - time.monotonic())


def _share(shared: Any) -> None:
    global _shared
    _shared = shared


def _do(work: Callable[[Any, Job], Result], job: Job) -> Done[Job, Result]:
    done = _try(work, _shared, job)
    if done.problem and done.problem.cause is Cause.BUG and gpu_is_lost():
        # No later job would work here, and while one faulty process lives, MPS lets no new one begin.
        print(done.problem, file=sys.stderr, flush=True)
        os._exit(1)
    return done


def _try(work: Callable[[Shared, Job], Result], shared: Shared, job: Job) -> Done[Job, Result]:
    try:
        return Done(job, work(shared, job))
    except UserError as error:
        return Done(job, None, Problem(Cause.USER_ERROR, str(error)))
    except Exception as error:  # a victim is somebody's code, and may raise anything
        if gpu_is_full(error):
            return Done(job, None, Problem(Cause.MEMORY_FULL, Cause.MEMORY_FULL.value))
        return Done(job, None, Problem(Cause.BUG, f"{type(error).__name__}: {error}", traceback.format_exc()))
    finally:
        _free_models()


def _free_models() -> None:
    """Let go of what nobody holds any more; nets hold each other in rings, and a GPU keeps what it once gave."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized() and not gpu_is_lost():
        torch.cuda.empty_cache()


def _may_work_alone(done: Done[Any, Any]) -> bool:
    return done.problem is not None and done.problem.cause in _MAY_WORK_ALONE
