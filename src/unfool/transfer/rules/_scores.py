"""What several models answer about the same texts, each asked about each distinct input once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import PendingAnswers, Predictor
from unfool.errors import UserError, VictimError
from unfool.text import Variants

LOGITS, LOG_PROBABILITIES = "logits", "log-probabilities"
_SMALLEST_PROBABILITY = 1e-6
"""As fine as answers in plain probabilities are looked at; below, their logarithms are noise."""


class Scores(NamedTuple):
    """Scores by member, text and class, and which texts every member answered about."""

    values: NDArray[np.float64]
    answered: NDArray[np.bool_]
    problem: VictimError | None
    """Why one of the texts has no answer."""


class _Part(NamedTuple):
    pending: PendingAnswers
    inverse: NDArray[np.intp]


class Members:
    """Models that are asked together: raw logits where all of them give such, else logarithms of probabilities.

    Args:
        victims: The models, which must agree on their labels; none where nothing is to be asked.
    """

    def __init__(self, victims: Sequence[Predictor]) -> None:
        for other in victims[1:]:
            if other.labels != victims[0].labels:
                raise UserError(
                    f"models that mine together need the same labels in the same order: {victims[0]!r} has "
                    f"{list(victims[0].labels)}, {other!r} has {list(other.labels)}"
                )
        self.victims = list(victims)
        self.scores = LOGITS if all(hasattr(v, "launch_logits") for v in victims) else LOG_PROBABILITIES
        self.asked = [0] * len(victims)
        """Distinct inputs each member was asked about."""

    def launch(self, asked: Sequence[Variants]) -> PendingScores:
        """Start every member on these texts; where a device is in play, return without waiting."""
        parts = []
        for number, victim in enumerate(self.victims):
            rows = victim.rows(asked)
            _, first, inverse = np.unique(rows.keys, return_index=True, return_inverse=True)
            self.asked[number] += len(first)
            launch: Callable[[Any, NDArray[np.intp]], PendingAnswers] = (
                getattr(victim, "launch_logits") if self.scores == LOGITS else victim.launch  # noqa: B009 (optional)
            )
            parts.append(_Part(launch(rows, first), inverse))
        return PendingScores(parts, self.scores == LOGITS)


class PendingScores:
    """Forward passes under way."""

    def __init__(self, parts: Sequence[_Part], raw: bool) -> None:
        self._parts, self._raw = parts, raw

    def result(self) -> Scores:
        """Wait for all members."""
        values, answered, problem = [], np.ones(len(self._parts[0].inverse), dtype=bool), None
        for pending, inverse in self._parts:
            answers = pending.result()
            scores = np.asarray(answers.values, dtype=np.float64)
            if not self._raw:
                scores = np.log(scores.clip(_SMALLEST_PROBABILITY))
            sound = np.asarray(np.isfinite(scores).all(axis=1))
            sound[list(answers.errors)] = False
            answered &= sound[inverse]
            if not sound.all():
                problem = problem or next(iter(answers.errors.values()), VictimError("an answer is not a number"))
            values.append(scores[inverse])
        return Scores(np.stack(values), answered, problem)
