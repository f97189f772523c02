"""One process keeps the net on the device and answers for several that attack."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Line, PendingAnswers, Predictor
from unfool.errors import UserError
from unfool.victims.tokens import (
    Card,
    EncodedVictim,
    PendingForward,
    TokenBatch,
    TokenRows,
    UnitRows,
    spliced_rows,
    token_rows,
)

if TYPE_CHECKING:
    import torch


_ROUNDS_AHEAD = 4
_BATCHES_A_ROUND = 8
_POLL_SECONDS = 0.0005


class Asked(NamedTuple):
    """Token rows a worker wants answered."""

    worker: int
    ticket: int
    raw: bool
    full: bool
    rows: TokenRows


class _Round(NamedTuple):
    parts: list[Asked]
    pending: PendingForward


def keep(open_victim: Callable[[], Predictor], requests: Any, answers: Sequence[Any]) -> None:
    """Open a victim and answer for the workers until the process is ended."""
    victim = open_victim()
    if not isinstance(victim, EncodedVictim):
        raise UserError(f"{victim!r} cannot be shared by workers; use --workers 1")
    card = victim.card()
    # A queue pickles in a thread of its own, where an error would be lost and the workers wait for ever.
    ForkingPickler.dumps(card)
    for line in answers:
        line.put(card)
    Keeper(victim, requests, answers).run()


class Keeper:
    """Gathers what workers ask, keeps the device busy with rounds of it, hands the answers back."""

    def __init__(self, victim: EncodedVictim, requests: Any, answers: Sequence[Any]) -> None:
        self._victim, self._requests, self._answers = victim, requests, answers
        self._waiting: deque[Asked] = deque()
        self._flying: deque[_Round] = deque()

    def run(self) -> None:
        """Work until the process is ended."""
        while True:
            self._listen()
            while self._waiting and len(self._flying) < _ROUNDS_AHEAD:
                self._flying.append(self._launch())
            if self._flying and self._flying[0].pending.done():
                self._hand_back(self._flying.popleft())

    def _listen(self) -> None:
        """Take in what has been asked; wait long only where there is nothing else to do."""
        busy = bool(self._flying or self._waiting)
        try:
            self._waiting.append(self._requests.get(timeout=_POLL_SECONDS if busy else None))
            while True:
                self._waiting.append(self._requests.get_nowait())
        except queue.Empty:
            pass

    def _launch(self) -> _Round:
        """Start on the oldest requests of a kind, as many as make a round."""
        raw, full = self._waiting[0].raw, self._waiting[0].full
        room = _BATCHES_A_ROUND * self._victim.packing.tokens
        parts: list[Asked] = []
        left: deque[Asked] = deque()
        for asked in self._waiting:
            if (asked.raw, asked.full) == (raw, full) and room > 0:
                parts.append(asked)
                room -= len(asked.rows.tokens)
            else:
                left.append(asked)
        self._waiting = left
        rows = TokenRows.joined([part.rows for part in parts])
        return _Round(parts, self._victim.launch_tokens(rows, raw=raw, full=full))

    def _hand_back(self, done: _Round) -> None:
        answers = done.pending.result()
        start = 0
        for part in done.parts:
            stop = start + len(part.rows.lengths)
            errors = {row - start: error for row, error in answers.errors.items() if start <= row < stop}
            self._answers[part.worker].put((part.ticket, Answers(answers.values[start:stop], errors)))
            start = stop


class BorrowedVictim(EncodedVictim):
    """Encodes like the victim itself and asks its keeper over a line.

    Args:
        line: The line to the keeper; the first thing that comes over it is the victim's card.
    """

    def __init__(self, line: Line) -> None:
        import torch

        self._line, self._tickets, self._came = line, 0, dict[int, Answers]()
        card: Card = line.answers.get()
        super().__init__(
            card.encoder,
            card.labels,
            torch.device("cpu"),
            unknown=card.unknown,
            half=card.approximate,
            fields=card.fields,
        )
        self._name = card.name

    def __repr__(self) -> str:
        return self._name

    def logits(self, batch: TokenBatch, *, full: bool) -> torch.Tensor:
        """Not here: the net is with the keeper."""
        raise NotImplementedError("a borrowed victim's net is with its keeper")

    def _check(self, inputs: Sequence[tuple[str, ...]], raw: bool) -> PendingAnswers:
        self.accept(map(len, inputs))
        return self._ask(token_rows(self.encoder.whole(inputs), self.encoder.suffix), raw=raw, full=True)

    def _launch(self, rows: UnitRows, chosen: NDArray[np.intp], raw: bool) -> PendingAnswers:
        """Send the token rows off; the host is free meanwhile."""
        if not len(chosen):
            return _Nothing(self)
        return self._ask(spliced_rows(rows, chosen, self._table.store, self.encoder), raw=raw, full=False)

    def _ask(self, rows: TokenRows, *, raw: bool, full: bool) -> PendingAnswers:
        self._tickets += 1
        self._line.requests.put(Asked(self._line.number, self._tickets, raw, full, rows))
        return _PendingAnswer(self, self._tickets)

    def fetch(self, ticket: int) -> Answers:
        """Wait for the answer to one request; others may come before it."""
        while ticket not in self._came:
            number, answers = self._line.answers.get()
            self._came[number] = answers
        return self._came.pop(ticket)


class _PendingAnswer:
    def __init__(self, victim: BorrowedVictim, ticket: int) -> None:
        self._victim, self._ticket = victim, ticket

    def result(self) -> Answers:
        return self._victim.fetch(self._ticket)


class _Nothing:
    def __init__(self, victim: BorrowedVictim) -> None:
        self._classes = len(victim.labels)

    def result(self) -> Answers:
        return Answers(np.empty((0, self._classes), dtype=np.float32), {})
