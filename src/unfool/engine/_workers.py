"""The same run in several processes: each attacks its share, and the outcomes come back as they are ready.

One Python process can prepare only so many texts a second; a fast GPU, or many cores, wants more. Each worker opens
the victim for itself, or one more process keeps it and answers for all. No result depends on who works on which
sample.
"""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

from unfool.engine._ask import Constraint
from unfool.engine._attempt import Attack, attack_samples, refusing_silence
from unfool.engine._goal import Goal
from unfool.engine._outcome import Failure, Outcome
from unfool.engine._victim import Predictor
from unfool.options import Budget
from unfool.parallel import Done, Workers, result_of
from unfool.text import Sample

_SAMPLES_A_PARCEL = 64
_PARCELS_AHEAD = 4
_LOOK_EVERY_SECONDS = 0.2


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
"""Opens the victim and answers for the workers: where they ask, and where each one's answers go.

It ends when it is asked None.
"""


class _Queues(NamedTuple):
    """How the workers, the process that serves the victim, and this one hear of each other."""

    samples: Any
    """Parcels of samples, then None for each worker."""
    results: Any
    """What the workers have found, then None from each."""
    requests: Any
    answers: Sequence[Any]


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
    language: str | None = None,
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
        language: The language of the texts, for attacks that read several.
    """
    context = multiprocessing.get_context("spawn")
    answers = [context.Queue() for _ in range(workers)]
    queues = _Queues(context.Queue(workers * _PARCELS_AHEAD), context.Queue(), context.Queue(), answers)
    # When the workers are gone, nobody takes what is still on its way; the program must end all the same.
    queues.samples.cancel_join_thread()
    attack_some = partial(
        attack_samples,
        goal=goal,
        budget=budget,
        constraints=constraints,
        seed=seed,
        width=max(1, width // workers),
        give_up_after=give_up_after,
        whole=False,
        language=language,
    )
    work = partial(_attack, prepare, attack_some, serve is not None)
    with Workers(workers + (serve is not None), queues) as processes:
        under_way = [processes.start(work, number) for number in range(workers)]
        if serve:
            under_way.append(processes.start(partial(_serve, serve), workers))
        source = iter(samples)
        parcels = iter(lambda: list(islice(source, _SAMPLES_A_PARCEL)), [])
        steps = _exchange(chain(parcels, repeat(None, workers)), queues, under_way, workers)
        # Only all shares together tell whether the victim is silent.
        yield from steps if give_up_after is None else refusing_silence(steps)
        queues.requests.put(None)


def _exchange(
    parcels: Iterator[list[Sample] | None], queues: _Queues, under_way: Sequence[Future[Done[Any, None]]], busy: int
) -> Iterator[list[Outcome | Failure]]:
    """Hand out parcels and yield what comes back, until all workers are done or one process has failed."""
    waiting = next(parcels, None)
    more = True
    while busy:
        while more:
            try:
                queues.samples.put_nowait(waiting)
            except queue.Full:
                break
            try:
                waiting = next(parcels)
            except StopIteration:
                more = False
        for future in under_way:
            if future.done() and (problem := result_of(future, None).problem):
                raise problem.error()
        try:
            found = queues.results.get(timeout=_LOOK_EVERY_SECONDS)
        except queue.Empty:
            continue
        if found is None:
            busy -= 1
        else:
            yield found


def _attack(
    prepare: Prepare,
    attack_some: Callable[..., Iterator[list[Outcome | Failure]]],
    is_served: bool,
    queues: _Queues,
    number: int,
) -> None:
    """Attack what comes until there is no more, as one of the workers."""
    victim, attack = prepare(Connection(number, queues.requests, queues.answers[number]) if is_served else None)
    samples = chain.from_iterable(iter(queues.samples.get, None))
    for step in attack_some(victim, samples, attack):
        queues.results.put(step)
    queues.results.put(None)


def _serve(serve: Serve, queues: _Queues, _: int) -> None:
    """Answer the workers, as the one process that has the victim."""
    for answers in queues.answers:
        answers.cancel_join_thread()  # a worker that has ended takes no more of them
    serve(queues.requests, queues.answers)
