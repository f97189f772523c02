"""A victim that lives in another process: here its texts are encoded, there they are answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Line, PendingAnswers
from unfool.victims._encoded import Card, EncodedVictim
from unfool.victims._keeper import Asked
from unfool.victims._packing import TokenBatch, TokenRows, token_rows
from unfool.victims._spliced_rows import spliced_rows
from unfool.victims._units import UnitRows

if TYPE_CHECKING:
    import torch


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
