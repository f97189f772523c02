"""Answers of which some are there before they are asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, PendingAnswers
from unfool.errors import VictimError


class PartlyTold:
    """Forward passes under way, and answers to the other rows that are there already.

    Args:
        pending: The passes.
        rest: The places of their answers.
        places: The places of those that are there.
        told: What is there.
    """

    def __init__(self, pending: PendingAnswers, rest: NDArray[np.intp], places: list[int], told: Answers) -> None:
        self._pending, self._rest, self._places, self._told = pending, rest, places, told

    def result(self) -> Answers:
        """Wait for the passes, and put all answers into their order."""
        parts = ((self._rest.tolist(), self._pending.result()), (self._places, self._told))
        values = np.empty((len(self._rest) + len(self._places), self._told.values.shape[1]), dtype=np.float32)
        errors: dict[int, VictimError] = {}
        for places, answers in parts:
            values[places] = answers.values
            errors |= {places[row]: error for row, error in answers.errors.items()}
        return Answers(values, errors)
