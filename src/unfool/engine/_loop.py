"""The loop: many coroutines in flight, their questions gathered, answered and handed back.

Coroutines are split into two groups. While the device works for one, the host reads the other's answers, steps
its coroutines and prepares its next batch. No answer depends on who else is in flight.
"""

from __future__ import annotations

import gc
from collections.abc import Coroutine, Iterable, Iterator
from itertools import islice
from typing import Any

from unfool.engine._service import Pending, Request, Service

Task = Coroutine[Request, Any, Any]
GROUPS = 2
PHASES = 8
LEAST_SHARE = 64


class _Flight:
    """One group of coroutines, each waiting for the answer to its request."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Task, Request]] = []
        self.launched: list[tuple[list[int], Pending]] = []

    def launch(self) -> None:
        by_service: dict[Service, list[int]] = {}
        for number, (_, asked) in enumerate(self.waiting):
            by_service.setdefault(asked.service, []).append(number)
        ready = {service: numbers for service, numbers in by_service.items() if len(numbers) >= _patience(service)}
        self.launched = [
            (numbers, service.launch([self.waiting[number][1].payload for number in numbers]))
            for service, numbers in (ready or by_service).items()
        ]

    def collect(self, done: list[Any]) -> None:
        answers: dict[int, Any] = {}
        for numbers, pending in self.launched:
            answers.update(zip(numbers, pending.result(), strict=True))
        tasks, self.waiting, self.launched = iter(self.waiting), [], []
        try:
            for number, (task, asked) in enumerate(tasks):
                if number in answers:
                    self.step(task, answers[number], done)
                else:
                    self.waiting.append((task, asked))
        finally:
            # After an interrupt some are left; `close` must reach them.
            self.waiting += tasks

    def close(self) -> None:
        for task, _ in self.waiting:
            task.close()

    def step(self, task: Task, answer: Any, done: list[Any]) -> None:
        try:
            asked = task.throw(answer) if isinstance(answer, Exception) else task.send(answer)
            while not isinstance(asked, Request):
                asked = task.throw(TypeError("an attack can only await what its `ask` offers"))
        except StopIteration as end:
            done.append(end.value)
        else:
            self.waiting.append((task, asked))


def _patience(service: Service) -> int:
    """How many requests a service would rather have together, as long as others keep the device busy."""
    return int(getattr(service, "patience", 1))


def run(tasks: Iterable[Task], width: int) -> Iterator[list[Any]]:
    """Drive coroutines, at most ``width`` in flight, and yield the results of those that ended, a list a step.

    Args:
        tasks: The coroutines, made lazily as places become free.
        width: How many may be in flight at once; changes speed and memory, never a result.
    """
    source = iter(tasks)
    thresholds = gc.get_threshold()
    # Many small values live for the whole run; looking through them again and again costs a quarter of the time.
    gc.set_threshold(200_000, 50, 100)
    flights = [_Flight() for _ in range(GROUPS if width > 1 else 1)]
    room = max(1, width // len(flights))
    # Admitted all at once, samples would go through their phases in step: one huge batch, then many tiny ones.
    share = max(LEAST_SHARE, room // PHASES)
    try:
        busy = True
        while busy:
            busy = False
            for flight in flights:
                done: list[Any] = []
                flight.collect(done)
                newcomers = 0
                # Made one at a time: a coroutine that waited here when the user interrupts would never be closed.
                for task in islice(source, min(room - len(flight.waiting), share)):
                    newcomers += 1
                    flight.step(task, None, done)
                flight.launch()
                busy = busy or bool(flight.waiting or newcomers)
                if done:
                    yield done
    finally:
        gc.set_threshold(*thresholds)
        for flight in flights:
            flight.close()
