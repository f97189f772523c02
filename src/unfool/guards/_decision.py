"""A guard as a victim of two labels: what passes, and what is blocked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, PendingAnswers, Predictor
from unfool.errors import UserError, did_you_mean
from unfool.victims import (
    ChainedGradients,
    Differentiates,
    GradientRequest,
    Input,
    WrappedVictim,
    changed,
    place_of,
)

PASSED, BLOCKED = "passed", "blocked"
_LEAST = 1e-6


class Decision(WrappedVictim):
    """A guard that answers how sure it is that a text is to be blocked, and no more.

    Args:
        victim: The guard's model.
        blocks: Its label that means blocked.
    """

    def __init__(self, victim: Predictor, blocks: str) -> None:
        super().__init__(victim)
        place = place_of(blocks, victim.labels)
        if place is None:
            raise UserError(f"{victim!r} has no label {blocks!r}{did_you_mean(blocks, victim.labels)}")
        self._place = place
        self.labels = (PASSED, BLOCKED)
        self.pass_on("attention", "hidden", "embeddings", "characters", "tokenizing")
        if isinstance(victim, Differentiates):
            self.gradients = ChainedGradients(victim.gradients, self._asked, self._chain)

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the guard's work."""
        return changed(super().launch(rows, chosen), self._of_blocking)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start the guard's check of rendered texts."""
        return changed(super().check(inputs), self._of_blocking)

    def _asked(self, request: GradientRequest) -> GradientRequest:
        other = 1 - self._place if len(self.inner.labels) == 2 else self._place
        return request._replace(label=other if request.label == 0 else self._place)

    def _chain(self, request: GradientRequest, loss: float) -> tuple[float, float]:
        if request.label == 1 or len(self.inner.labels) == 2:
            return 1.0, loss
        # Of several labels all but one mean that the text passes: the loss is that of the one that blocks.
        p = math.exp(-loss)
        passes = max(1 - p, _LEAST)
        return -p / passes, -math.log(passes)

    def _of_blocking(self, values: Floats) -> Floats:
        p = values[:, self._place]
        return np.stack([1 - p, p], axis=1)
