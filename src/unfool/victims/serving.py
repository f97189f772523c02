"""Worker processes share one net: a server process has it on the GPU and answers for all of them."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Connection, Later, PendingAnswers, Predictor
from unfool.errors import UserError
from unfool.victims.tokens import (
    EncodedVictim,
    ForwardPass,
    TokenBatch,
    TokenRows,
    UnitRows,
    VictimSpec,
    spliced_rows,
    token_rows,
)

if TYPE_CHECKING:
    import torch


_ROUNDS_AHEAD = 4
_BATCHES_A_ROUND = 8
_POLL_SECONDS = 0.0005


class TokenRequest(NamedTuple):
    """Token rows that a worker wants answered."""

    worker: int
    ticket: int
    raw: bool
    full: bool
    rows: TokenRows


class _Round(NamedTuple):
    requests: list[TokenRequest]
    answers: ForwardPass


def serve(open_victim: Callable[[], Predictor], requests: Any, answers: Sequence[Any]) -> None:
    """Open a victim and answer for the workers until None is asked."""
    victim = open_victim()
    if not isinstance(victim, EncodedVictim):
        raise UserError(f"{victim!r} cannot be shared by workers; use --workers 1")
    spec = victim.spec()
    # A queue pickles in a thread of its own, where an error would be lost and the workers wait for ever.
    ForkingPickler.dumps(spec)
    for queue_of_worker in answers:
        queue_of_worker.put(spec)
    InferenceServer(victim, requests, answers).run()


class InferenceServer:
    """Gathers what workers ask, keeps the device busy with rounds of it, hands the answers back."""

    def __init__(self, victim: EncodedVictim, requests: Any, answers: Sequence[Any]) -> None:
        self._victim, self._requests, self._answers = victim, requests, answers
        self._waiting: deque[TokenRequest] = deque()
        self._under_way: deque[_Round] = deque()
        self._ended = False

    def run(self) -> None:
        """Work until None is asked."""
        while not self._ended:
            self._listen()
            while self._waiting and len(self._under_way) < _ROUNDS_AHEAD:
                self._under_way.append(self._launch())
            if self._under_way and self._under_way[0].answers.done():
                self._hand_back(self._under_way.popleft())

    def _listen(self) -> None:
        """Take in what has been asked; wait long only if there is nothing else to do."""
        busy = bool(self._under_way or self._waiting)
        try:
            asked = self._requests.get(timeout=_POLL_SECONDS if busy else None)
            while asked is not None:
                self._waiting.append(asked)
                asked = self._requests.get_nowait()
            self._ended = True
        except queue.Empty:
            pass

    def _launch(self) -> _Round:
        """Start on the oldest requests of a kind, as many as make a round."""
        raw, full = self._waiting[0].raw, self._waiting[0].full
        room = _BATCHES_A_ROUND * self._victim.packing.tokens
        taken: list[TokenRequest] = []
        left: deque[TokenRequest] = deque()
        for request in self._waiting:
            if (request.raw, request.full) == (raw, full) and room > 0:
                taken.append(request)
                room -= len(request.rows.tokens)
            else:
                left.append(request)
        self._waiting = left
        rows = TokenRows.joined([request.rows for request in taken])
        return _Round(taken, self._victim.launch_tokens(rows, raw=raw, full=full))

    def _hand_back(self, done: _Round) -> None:
        answers = done.answers.result()
        start = 0
        for request in done.requests:
            stop = start + len(request.rows.lengths)
            errors = {row - start: error for row, error in answers.errors.items() if start <= row < stop}
            self._answers[request.worker].put((request.ticket, Answers(answers.values[start:stop], errors)))
            start = stop


class RemoteVictim(EncodedVictim):
    """Encodes like the victim itself, and asks the process that has the net.

    Args:
        connection: The way to that process; the first thing that comes over it is the victim's spec.
    """

    def __init__(self, connection: Connection) -> None:
        import torch

        self._connection, self._tickets, self._came = connection, 0, dict[int, Answers]()
        spec: VictimSpec = connection.answers.get()
        super().__init__(
            spec.encoder,
            spec.labels,
            torch.device("cpu"),
            unknown=spec.unknown,
            half=spec.approximate,
            fields=spec.fields,
        )
        self._name = spec.name

    def __repr__(self) -> str:
        return self._name

    def logits(self, batch: TokenBatch, *, full: bool) -> torch.Tensor:
        """Not here: the net is in the other process."""
        raise NotImplementedError("a remote victim's net is in another process")

    def _check(self, inputs: Sequence[tuple[str, ...]], raw: bool) -> PendingAnswers:
        self.accept(map(len, inputs))
        return self._ask(token_rows(self.encoder.whole(inputs), self.encoder.suffix), raw=raw, full=True)

    def _launch(self, rows: UnitRows, chosen: NDArray[np.intp], raw: bool) -> PendingAnswers:
        """Send the token rows off; the host is free meanwhile."""
        if not len(chosen):
            return Later.of(Answers(np.empty((0, len(self.labels)), dtype=np.float32), {}))
        return self._ask(spliced_rows(rows, chosen, self._table.store, self.encoder), raw=raw, full=False)

    def _ask(self, rows: TokenRows, *, raw: bool, full: bool) -> PendingAnswers:
        self._tickets += 1
        self._connection.requests.put(TokenRequest(self._connection.number, self._tickets, raw, full, rows))
        return Later(partial(self._answer_to, self._tickets))

    def _answer_to(self, ticket: int) -> Answers:
        """Wait for the answers to one request; others may come before them."""
        while ticket not in self._came:
            number, answers = self._connection.answers.get()
            self._came[number] = answers
        return self._came.pop(ticket)
