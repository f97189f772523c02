"""Stretches of texts, one after the other or in several processes that each keep the models open."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import cache
from itertools import islice
from typing import Any, NamedTuple, Self

from unfool.devices import gpu_is_full
from unfool.errors import RESUME, UserError
from unfool.parallel import process_pool
from unfool.rules._parts import Parts
from unfool.rules._scores import Members
from unfool.rules._tally import Placed, Tally
from unfool.victims import Options, open_victim

_KEPT = f"what was done is kept: use fewer workers and add {RESUME}"
_JOBS_AHEAD = 2
_STRETCHES_A_TASK = 8
"""On a GPU, where a stretch takes a fraction of a second and the next is prepared meanwhile."""


class Job(NamedTuple):
    """A stretch of texts and its number."""

    number: int
    stretch: Sequence[Placed]


class _Opening(NamedTuple):
    """How another process opens the models."""

    names: tuple[str, ...]
    options: Options
    labels: tuple[str, ...]


class Crew:
    """Does stretches and leaves their files.

    Args:
        parts: Where the files go.
        members: The models, for work in this process.
        labels: The data's labels.
        names: Their names, by which other processes open them.
        options: How they are opened.
        workers: How many processes; with one, the work is done here.
        ahead: Whether the next stretch is prepared while a device works on one.
    """

    def __init__(
        self,
        parts: Parts,
        members: Members,
        labels: Sequence[str],
        names: Sequence[str],
        options: Options,
        *,
        workers: int,
        ahead: bool,
    ) -> None:
        self._parts, self._members, self._workers, self._ahead = parts, members, workers, ahead
        self._opening = _Opening(tuple(names), options, tuple(labels))
        self._pool: ProcessPoolExecutor | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        if self._workers > 1:
            self._pool = self._open.enter_context(process_pool(self._workers))
        return self

    def __exit__(self, *problem: Any) -> None:
        self._open.__exit__(*problem)

    def work(self, jobs: Iterable[Job]) -> Iterator[int]:
        """Do the jobs, read lazily, and yield how many texts each had."""
        try:
            if self._pool is None:
                yield from _in_turn(self._parts, self._members, jobs, self._ahead)
            else:
                yield from self._in_processes(self._pool, jobs)
        except BrokenProcessPool:
            raise UserError(f"a worker process ended early; {_KEPT}") from None
        except RuntimeError as error:
            if not gpu_is_full(error):
                raise
            raise UserError(f"the GPU's memory is full; {_KEPT}") from None

    def _in_processes(self, pool: ProcessPoolExecutor, jobs: Iterable[Job]) -> Iterator[int]:
        under_way: set[Future[int]] = set()
        source = iter(jobs)
        while some := list(islice(source, _STRETCHES_A_TASK if self._ahead else 1)):
            under_way.add(pool.submit(_do, self._parts, self._opening, some, self._ahead))
            if len(under_way) >= self._workers * _JOBS_AHEAD:
                yield from _ended(under_way)
        while under_way:
            yield from _ended(under_way)


def _ended(under_way: set[Future[int]]) -> Iterator[int]:
    """Wait until some are done, take them out, and yield how many texts each had."""
    ended, _ = wait(under_way, return_when=FIRST_COMPLETED)
    under_way -= ended
    yield from (future.result() for future in ended)


def _do(parts: Parts, opening: _Opening, jobs: Sequence[Job], ahead: bool) -> int:
    return sum(_in_turn(parts, _opened(opening), jobs, ahead))


def _in_turn(parts: Parts, members: Members, jobs: Iterable[Job], ahead: bool) -> Iterator[int]:
    """Do stretches one after the other and yield how many texts each had."""
    waiting: deque[tuple[Job, Tally]] = deque()

    def finish() -> int:
        job, tally = waiting.popleft()
        parts.write(job.number, *tally.result())
        return len(job.stretch)

    for job in jobs:
        waiting.append((job, Tally(members, job.stretch)))
        if len(waiting) > ahead:
            yield finish()
    while waiting:
        yield finish()


@cache
def _opened(opening: _Opening) -> Members:
    return Members([open_victim(name, opening.options) for name in opening.names], opening.labels)
