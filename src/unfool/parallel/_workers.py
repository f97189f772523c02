"""Jobs done one after the other in this process, or side by side in others."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Self

from unfool.parallel._cluster import OnCluster, cluster_in_use
from unfool.parallel._jobs import Cause, Done, Job, Result, Shared, ended_early, lost_its_gpu, try_job
from unfool.parallel._pieces import Folder
from unfool.parallel._processes import process_pool

_MAY_WORK_ALONE = (Cause.ENDED_EARLY, Cause.MEMORY_FULL)

_shared: Any = None
"""What all jobs of a worker process need."""


class Workers(Generic[Shared]):
    """Does jobs in this process, or in several that are started when they are first needed: here or on a cluster.

    Args:
        number: How many processes; with one, the work is done here, unless it is inside `on_cluster`.
        shared: What every job needs; it is sent to each process once.
        folders: Where the pieces lie that jobs read and write, for workers on other machines.
        device: Where the jobs' nets live: on a cluster, workers ask for a GPU unless it is ``cpu``.
    """

    def __init__(self, number: int, shared: Shared, *, folders: Sequence[Folder] = (), device: str = "cpu") -> None:
        self.number, self._shared, self._folders, self._device = number, shared, folders, device
        self._pool: Executor | None = None
        self._cluster: OnCluster | None = None
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
        pieces: Callable[[Job], Iterable[Path]] = lambda job: (),
        ends: float | None = None,
        retry: bool = True,
    ) -> Iterator[Done[Job, Result]]:
        """Do every job and yield each as soon as it is done; one that fails does not keep others from it.

        Args:
            work: A function of a module, which other processes can find.
            jobs: Read as workers become free. None stands for a job that must wait for one that is under way.
            pieces: Names the files and folders, below the workers' folders, that a job reads or writes: to another
                machine they go with it, and what it changes comes back.
            ends: When to stop, by `time.monotonic`. No job is begun later; one in this process is still finished.
            retry: Whether a job is done again by itself at the end if the GPU's memory is full beside others, or
                if it was under way when a process ended early, since nobody knows which of them ended it.

        Raises:
            TimeoutError: Not all of them were done in time.
        """
        if works_here(self.number):
            for job in _ready(jobs, ends):
                yield try_job(work, self._shared, job)
            return
        waiting, alone, under_way = iter(jobs), deque[Job](), dict[Future[Done[Job, Result]], Job]()
        while True:
            # No more than can be worked on: what waits in a pool is lost with it.
            for job in _ready(islice(waiting, self.number - len(under_way)), ends):
                under_way[self._begin(work, job, pieces)] = job
            last_try = not retry
            if alone and not under_way:
                last_try, lonely = True, alone.popleft()
                under_way[self._begin(work, lonely, pieces)] = lonely
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

    def _begin(
        self, work: Callable[[Shared, Job], Result], job: Job, pieces: Callable[[Job], Iterable[Path]]
    ) -> Future[Done[Job, Result]]:
        if cluster := cluster_in_use():
            if self._cluster is None:
                self._cluster = OnCluster(cluster, self.number, self._shared, self._folders, self._device)
                self._open.callback(self._cluster.close)
            return self._cluster.start(work, job, pieces(job))
        return self.start(work, job)

    def start(self, work: Callable[[Shared, Job], Result], job: Job) -> Future[Done[Job, Result]]:
        """Start a job in another process of this machine and return its future; `result_of` reads it."""
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
        return ended_early(job)


def works_here(workers: int) -> bool:
    """Whether so many workers do their jobs in this process."""
    return workers == 1 and cluster_in_use() is None


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
    done = try_job(work, _shared, job)
    if lost_its_gpu(done):
        # No later job would work here, and while one faulty process lives, MPS lets no new one begin.
        print(done.problem, file=sys.stderr, flush=True)
        os._exit(1)
    return done


def _may_work_alone(done: Done[Any, Any]) -> bool:
    return done.problem is not None and done.problem.cause in _MAY_WORK_ALONE
