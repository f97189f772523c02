"""Contextual calibration (Zhao et al., 2021): a model's leaning to some labels, whatever the text, is taken off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, Later, PendingAnswers, Predictor
from unfool.errors import UserError
from unfool.victims._victim import Input
from unfool.victims._wrapped import WrappedVictim, changed

NOTHING = ("N/A", "", "[MASK]")
"""Texts that say nothing: what a model answers about them is its leaning."""


class Calibrated(WrappedVictim):
    """A victim whose answers are divided by what it answers, on average, about texts that say nothing.

    The rows are then made to sum to one again. It offers predictions alone: gradients are those of other answers.

    Args:
        victim: A language model with a prompt.
    """

    def __init__(self, victim: Predictor) -> None:
        super().__init__(victim)
        self._leanings: dict[int, Floats] = {}

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the victim's work."""
        strings = len(rows.inputs[0]) if rows.inputs else 1
        return self._without_leaning(super().launch(rows, chosen), strings)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start the victim's check of rendered texts."""
        return self._without_leaning(super().check(inputs), len(inputs[0]) if inputs else 1)

    def __repr__(self) -> str:
        return f"{self.inner!r},calibrated=true"

    def _without_leaning(self, pending: PendingAnswers, strings: int) -> Later[Any]:
        def divide(values: Floats) -> Floats:
            shares = values / self._leaning(strings)
            divided: Floats = shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
            return divided

        return changed(pending, divide)

    def _leaning(self, strings: int) -> Floats:
        """Return the mean answer about texts of so many strings that say nothing; asked once.

        Raises:
            UserError: There is none, or it leaves a label nothing.
        """
        if strings not in self._leanings:
            answers = self.inner.check([(text,) * strings for text in NOTHING]).result()
            for fault in answers.errors.values():
                raise UserError(f"{self.inner!r} cannot be calibrated: {fault}")
            mean: Floats = np.round(answers.values, self.decimals).mean(axis=0)
            if not mean.all():
                names = ", ".join(label for label, share in zip(self.labels, mean, strict=True) if not share)
                raise UserError(
                    f"{self.inner!r} cannot be calibrated: about texts that say nothing it never answers {names}; "
                    "leave calibrated out, or mend the prompt"
                )
            self._leanings[strings] = mean
        return self._leanings[strings]
