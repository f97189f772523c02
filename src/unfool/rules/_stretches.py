"""Stretches of texts, one after the other or in several processes that each keep the models open."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from unfool.devices import gpu_is_full
from unfool.parallel import Cause, Problem, Workers
from unfool.rules._parts import Parts
from unfool.rules._scores import ScoringModels
from unfool.rules._trial import PlacedSample, StretchTrial
from unfool.victims import Options, open_victim

_STRETCHES_A_TASK = 8
"""On a GPU, where a stretch takes a fraction of a second and the next is prepared meanwhile."""


class Job(NamedTuple):
    """A stretch of texts and its number."""

    number: int
    stretch: Sequence[PlacedSample]


class Opening(NamedTuple):
    """How another process opens the models."""

    names: tuple[str, ...]
    options: Options
    labels: tuple[str, ...]


class _Shared(NamedTuple):
    parts: Parts
    opening: Opening
    ahead: bool


def mine_here(jobs: Iterable[Job], parts: Parts, models: ScoringModels, *, ahead: bool) -> Iterator[int]:
    """Do stretches one after the other, leave their files, and yield how many texts each had.

    Args:
        jobs: The stretches, read lazily.
        parts: Where the files go.
        models: The models.
        ahead: Whether the next stretch is prepared while a device works on one.

    Raises:
        UserError: The GPU's memory is full.
    """
    try:
        yield from _in_turn(jobs, parts, models, ahead)
    except RuntimeError as error:
        if not gpu_is_full(error):
            raise
        raise Problem(Cause.MEMORY_FULL, str(error)).error() from None


def mine_in_processes(
    jobs: Iterable[Job], parts: Parts, opening: Opening, *, workers: int, ahead: bool
) -> Iterator[int]:
    """Do as `mine_here` does in several processes, each of which opens the models for itself.

    Raises:
        UserError: A process ended early or failed, or the GPU's memory is full.
    """
    source = iter(jobs)
    tasks = iter(lambda: list(islice(source, _STRETCHES_A_TASK if ahead else 1)), [])
    with Workers(workers, _Shared(parts, opening, ahead)) as processes:
        for done in processes.do(_do, tasks, retry=False):
            if done.problem:
                raise done.problem.error()
            yield done.result or 0


def _do(shared: _Shared, jobs: Sequence[Job]) -> int:
    return sum(_in_turn(jobs, shared.parts, _opened(shared.opening), shared.ahead))


def _in_turn(jobs: Iterable[Job], parts: Parts, models: ScoringModels, ahead: bool) -> Iterator[int]:
    waiting: deque[tuple[Job, StretchTrial]] = deque()

    def finish() -> int:
        job, trial = waiting.popleft()
        parts.write(job.number, *trial.result())
        return len(job.stretch)

    for job in jobs:
        waiting.append((job, StretchTrial(models, job.stretch)))
        if len(waiting) > ahead:
            yield finish()
    while waiting:
        yield finish()


@cache
def _opened(opening: Opening) -> ScoringModels:
    return ScoringModels([open_victim(name, opening.options) for name in opening.names], opening.labels)
