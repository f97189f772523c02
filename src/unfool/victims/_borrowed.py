"""A victim that lives in another process: here its texts are encoded, there they are answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Line, PendingAnswers
from unfool.victims._encoded import Card, EncodedVictim
from unfool.victims._keeper import Asked
from unfool.victims._packing import Packing, TokenBatch, TokenRows, token_rows

if TYPE_CHECKING:
    import torch

_ASSEMBLY = Packing(tokens=65_536, least=16_384)


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
            pad=card.pad,
            unknown=card.unknown,
            packing=_ASSEMBLY,
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

    def _forward(
        self, work: Iterable[tuple[slice, TokenBatch]], inverse: NDArray[np.intp], raw: bool, full: bool
    ) -> PendingAnswers:
        """Send the token rows off; the host is free meanwhile."""
        parts = [_as_rows(batch) for _, batch in work]
        if not parts:
            return _Nothing(self)
        return self._ask(TokenRows.joined(parts), raw=raw, full=full, inverse=inverse)

    def _ask(
        self, rows: TokenRows, *, raw: bool, full: bool, inverse: NDArray[np.intp] | None = None
    ) -> PendingAnswers:
        self._tickets += 1
        self._line.requests.put(Asked(self._line.number, self._tickets, raw, full, rows))
        return _PendingAnswer(self, self._tickets, inverse)

    def fetch(self, ticket: int) -> Answers:
        """Wait for the answer to one request; others may come before it."""
        while ticket not in self._came:
            number, answers = self._line.answers.get()
            self._came[number] = answers
        return self._came.pop(ticket)


class _PendingAnswer:
    def __init__(self, victim: BorrowedVictim, ticket: int, inverse: NDArray[np.intp] | None) -> None:
        self._victim, self._ticket, self._inverse = victim, ticket, inverse

    def result(self) -> Answers:
        answers = self._victim.fetch(self._ticket)
        if self._inverse is None:
            return answers
        errors = {row: answers.errors[at] for row, at in enumerate(self._inverse.tolist()) if at in answers.errors}
        return Answers(answers.values[self._inverse], errors)


class _Nothing:
    def __init__(self, victim: BorrowedVictim) -> None:
        self._classes = len(victim.labels)

    def result(self) -> Answers:
        return Answers(np.empty((0, self._classes), dtype=np.float32), {})


def _as_rows(batch: TokenBatch) -> TokenRows:
    """Take the padding out again."""
    mask = batch.mask
    lengths = mask.sum(1)
    seconds = lengths - batch.types.sum(1)
    return TokenRows(batch.ids[mask].int().numpy(), lengths.numpy(), seconds.numpy())
