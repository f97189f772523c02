"""The same run in several processes: each attacks its share, the outcomes come back as they are ready.

One Python process can prepare only so many texts a second; a fast GPU, or many cores, wants more. No result depends
on who works on which sample.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from unfool.engine._attempt import Attack, attack_samples
from unfool.engine._goal import Budget, Goal
from unfool.engine._outcome import Failure, Outcome
from unfool.engine._predict import Predictor
from unfool.errors import UserError
from unfool.text import Sample

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

_SAMPLES_A_PARCEL = 64
_PARCELS_AHEAD = 4

Prepare = Callable[[], tuple[Predictor, Attack]]
"""Opens the victim and the attack inside a worker; must survive pickling, as a `functools.partial` does."""


class _Settings(NamedTuple):
    goal: Goal
    budget: Budget
    seed: int
    width: int


def attack_in_workers(
    prepare: Prepare,
    samples: Iterable[Sample],
    *,
    workers: int,
    goal: Goal | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    width: int = 256,
) -> Iterator[list[Outcome | Failure]]:
    """Attack every sample in ``workers`` processes, each with a victim of its own; see `attack_samples`."""
    context = multiprocessing.get_context("spawn")
    todo: Any = context.Queue(workers * _PARCELS_AHEAD)
    done: Any = context.Queue()
    settings = _Settings(goal or Goal(), budget or Budget(), seed, max(1, width // workers))
    crew = [
        context.Process(target=_work, args=(prepare, todo, done, settings, workers), daemon=True)
        for _ in range(workers)
    ]
    for process in crew:
        process.start()
    try:
        yield from _exchange(_parcels(samples, workers), todo, done, crew)
    finally:
        for process in crew:
            process.terminate()
        for process in crew:
            process.join()


def _parcels(samples: Iterable[Sample], workers: int) -> Iterator[list[Sample] | None]:
    source = iter(samples)
    while parcel := list(islice(source, _SAMPLES_A_PARCEL)):
        yield parcel
    for _ in range(workers):
        yield None


def _exchange(
    parcels: Iterator[list[Sample] | None], todo: Any, done: Any, crew: Sequence[BaseProcess]
) -> Iterator[list[Outcome | Failure]]:
    waiting = next(parcels, None)
    more, busy = True, len(crew)
    while busy:
        while more:
            try:
                todo.put_nowait(waiting)
            except queue.Full:
                break
            try:
                waiting = next(parcels)
            except StopIteration:
                more = False
        try:
            answer = done.get(timeout=1.0)
        except queue.Empty:
            # A worker that was killed, for want of memory say, will never answer; say so instead of waiting.
            ended = [process.exitcode for process in crew if process.exitcode is not None]
            if len(ended) > len(crew) - busy:
                raise UserError(
                    f"a worker process ended early (code {max(map(abs, ended))}); what was done is kept: "
                    "use fewer workers and --resume"
                ) from None
            continue
        if isinstance(answer, str):
            raise UserError(answer)
        if answer is None:
            busy -= 1
        else:
            yield answer


def _work(prepare: Prepare, todo: Any, done: Any, settings: _Settings, workers: int) -> None:
    # Ctrl-C reaches the whole group; the parent decides what happens then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // workers)))
    try:
        victim, attack = prepare()
        samples = chain.from_iterable(iter(todo.get, None))
        for step in attack_samples(victim, samples, attack, **settings._asdict()):
            done.put(step)
        done.put(None)
    except Exception as error:
        # Words travel between processes safely; exceptions need not.
        done.put(
            str(error) if isinstance(error, UserError) else f"a worker stopped: {type(error).__name__}: {error}"
        )
