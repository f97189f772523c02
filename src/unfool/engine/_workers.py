"""The same run in several processes: each attacks its share, the outcomes come back as they are ready.

One Python process can prepare only so many texts a second; a fast GPU, or many cores, wants more. Each worker opens
the victim for itself, or one more process has it and answers for all. No result depends on who works on which
sample.
"""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from unfool.engine._ask import Constraint
from unfool.engine._attempt import Attack, attack_share, refusing_silence
from unfool.engine._goal import Goal
from unfool.engine._outcome import Failure, Outcome
from unfool.engine._victim import Predictor
from unfool.errors import RESUME, UserError
from unfool.options import Budget
from unfool.parallel import serve_parent, sharing_cores
from unfool.text import Sample

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

_SAMPLES_A_PARCEL = 64
_PARCELS_AHEAD = 4


class Connection(NamedTuple):
    """A worker's way to the process that serves the victim: its number, where all ask, where its answers come."""

    number: int
    requests: Any
    answers: Any


Prepare = Callable[[Connection | None], tuple[Predictor, Attack]]
"""Makes the victim and the attack inside a worker, with its connection to the server if there is one.

Must survive pickling, as a `functools.partial` does.
"""
Serve = Callable[[Any, Sequence[Any]], None]
"""Opens the victim and answers for the workers: where they ask, and where each one's answers go."""


class _Settings(NamedTuple):
    goal: Goal
    budget: Budget
    constraints: Sequence[Constraint]
    seed: int
    width: int
    give_up_after: int | None


def attack_in_workers(
    prepare: Prepare,
    samples: Iterable[Sample],
    *,
    workers: int,
    serve: Serve | None = None,
    goal: Goal | None = None,
    budget: Budget | None = None,
    constraints: Sequence[Constraint] = (),
    seed: int = 0,
    width: int = 256,
    give_up_after: int | None = None,
) -> Iterator[list[Outcome | Failure]]:
    """Attack every sample in ``workers`` processes; see `attack_samples`.

    Args:
        prepare: Called in every worker.
        samples: Read lazily.
        workers: Processes that attack.
        serve: Run in one more process, if given.
        goal: What counts as fooled.
        budget: Queries and edits one sample may cost.
        constraints: What every changed text must keep; they must survive pickling.
        seed: Each sample draws from a generator made of this and its id.
        width: Samples in flight in all workers together.
        give_up_after: How many samples of one worker may fail before the victim gives its first answer.
    """
    context = multiprocessing.get_context("spawn")
    todo: Any = context.Queue(workers * _PARCELS_AHEAD)
    # When the workers are gone, nobody takes what is still on its way; the program must end all the same.
    todo.cancel_join_thread()
    done: Any = context.Queue()
    share = max(1, width // workers)
    settings = _Settings(goal or Goal(), budget or Budget(), constraints, seed, share, give_up_after)
    requests, answers = context.Queue(), [context.Queue() for _ in range(workers)]
    connections = [Connection(number, requests, answers[number]) if serve else None for number in range(workers)]
    crew = [
        context.Process(target=_work, args=(partial(prepare, connection), todo, done, settings), daemon=True)
        for connection in connections
    ]
    if serve:
        crew.append(context.Process(target=_serve, args=(serve, requests, answers, done), daemon=True))
    with sharing_cores(workers):
        for process in crew:
            process.start()
    try:
        steps = _exchange(_parcels(samples, workers), todo, done, crew, workers)
        # Only all shares together tell whether the victim is silent.
        yield from steps if give_up_after is None else refusing_silence(steps)
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
    parcels: Iterator[list[Sample] | None], todo: Any, done: Any, crew: Sequence[BaseProcess], workers: int
) -> Iterator[list[Outcome | Failure]]:
    waiting = next(parcels, None)
    more, busy = True, workers
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
            if len(ended) > workers - busy:
                raise UserError(
                    f"a worker process ended early (code {max(map(abs, ended))}); what was done is kept: "
                    f"use fewer workers and add {RESUME}"
                ) from None
            continue
        if isinstance(answer, str):
            raise UserError(answer)
        if answer is None:
            busy -= 1
        else:
            yield answer


def _work(prepare: Callable[[], tuple[Predictor, Attack]], todo: Any, done: Any, settings: _Settings) -> None:
    with _telling(done):
        victim, attack = prepare()
        samples = chain.from_iterable(iter(todo.get, None))
        for step in attack_share(victim, samples, attack, **settings._asdict()):
            done.put(step)
        done.put(None)


def _serve(serve: Serve, requests: Any, answers: Sequence[Any], done: Any) -> None:
    with _telling(done):
        serve(requests, answers)


@contextmanager
def _telling(done: Any) -> Iterator[None]:
    """Tell the parent what went wrong in this process."""
    serve_parent()
    try:
        yield
    except Exception as error:
        # Words travel between processes safely; exceptions need not.
        told = f"a worker stopped: {type(error).__name__}: {error}; what was done is kept: use {RESUME}, and fewer "
        done.put(str(error) if isinstance(error, UserError) else f"{told}workers where memory was full")
