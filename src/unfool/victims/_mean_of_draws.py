"""Expectation over a defence's randomness (Athalye et al., 2018): an attack sees the mean of several answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, FunctionService, PendingAnswers, Predictor, Service
from unfool.errors import UserError, VictimError
from unfool.victims._text_victim import Input
from unfool.victims.white_box import (
    CharacterReader,
    Differentiates,
    GradientRequest,
    Gradients,
    KnowsWords,
    Spells,
)


@runtime_checkable
class Randomised(Protocol):
    """A victim whose answers are drawn at random, by a seed and the text."""

    def draw(self, number: int) -> Any:
        """Return the same victim with another draw of its randomness; draw 0 is its own."""
        ...


class MeanOfDraws:
    """Answers the search with the mean over several draws of a randomised victim; the victim itself checks.

    None of the draws an attack sees is the one that judges its text: a success is not luck with a certain noise.

    Args:
        victim: The randomised victim.
        draws: How many answers are averaged; each counts as a query.
    """

    gradients: Service
    embeddings: Service
    characters: CharacterReader

    def __init__(self, victim: Predictor, draws: int) -> None:
        if draws < 2:
            raise UserError(f"a mean needs 2 answers or more, not {draws}; give 2 or more")
        if not isinstance(victim, Randomised):
            raise UserError(
                f"{victim!r} always gives the same answer, so there is nothing to average; --eot is for randomised "
                "victims (five:… and fuse:…)"
            )
        self._victim: Predictor = victim
        self._draws: list[Any] = [victim.draw(number) for number in range(1, draws + 1)]
        self.queries_a_text = draws
        self.labels, self.unknown, self.vocabulary = victim.labels, victim.unknown, victim.vocabulary
        self.decimals = victim.decimals
        # Checking a success at once would ask the draw that judges, and the search would go on until it falls.
        self.approximate = False
        self.device = getattr(victim, "device", None)
        self.fingerprint: str | None = getattr(victim, "fingerprint", None)
        if isinstance(victim, Differentiates):
            self.gradients = FunctionService(self._gradients)
        if isinstance(victim, KnowsWords):
            self.embeddings = victim.embeddings
        if isinstance(victim, Spells):
            self.characters = victim.characters

    def __repr__(self) -> str:
        return repr(self._victim)

    def rows(self, asked: Sequence[Any]) -> Any:
        """Prepare the texts; all draws read the same."""
        return self._victim.rows(asked)

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start on all draws."""
        return _Mean([draw.launch(rows, chosen) for draw in self._draws])

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Ask the victim itself about rendered texts."""
        return self._victim.check(inputs)

    def _gradients(self, requests: Sequence[GradientRequest]) -> list[Gradients]:
        answers = [draw.gradients.launch(requests).result() for draw in self._draws]
        return [
            several[0]._replace(
                gradient=np.mean([one.gradient for one in several], axis=0),
                loss=float(np.mean([one.loss for one in several])),
            )
            for several in zip(*answers, strict=True)
        ]


class _Mean:
    def __init__(self, pending: Sequence[PendingAnswers]) -> None:
        self._pending = pending

    def result(self) -> Answers:
        answers = [each.result() for each in self._pending]
        errors: dict[int, VictimError] = {}
        total = np.zeros(answers[0].values.shape)
        for one in reversed(answers):
            errors |= one.errors
            total += one.values
        return Answers((total / len(answers)).astype(np.float32), errors)
