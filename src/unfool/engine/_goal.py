"""What a victim's probabilities say, and what counts as fooling it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]
Scores = NDArray[np.floating]

CONFIDENCE_DECIMALS = 5
"""Places of a probability that are recorded; what no record shows decides nothing either."""


def leading(probabilities: Scores) -> NDArray[np.bool_]:
    """Say for each label whether no other is ahead of it; several share the lead in a tie.

    Rows are texts, columns labels; one row may stand alone.
    """
    given = np.round(probabilities, CONFIDENCE_DECIMALS)
    return np.asarray(given == given.max(axis=-1, keepdims=True))


def answered_labels(probabilities: Scores, right: ArrayLike | None = None) -> NDArray[np.intp]:
    """Return the label each row answers; of labels that tie, the right one if it is among them, else the lowest.

    So an answer is wrong only if a wrong label is strictly ahead of the right one.

    Args:
        probabilities: Rows are texts, columns labels; one row may stand alone.
        right: The right label of each row, or of all; None favours none.
    """
    first = leading(probabilities)
    lowest = first.argmax(axis=-1)
    if right is None:
        return np.asarray(lowest)
    wanted = np.broadcast_to(np.asarray(right, dtype=np.intp), lowest.shape)
    holds = np.take_along_axis(first, wanted[..., None], axis=-1)[..., 0]
    return np.asarray(np.where(holds, wanted, lowest))


@dataclass(frozen=True, slots=True)
class Goal:
    """Any wrong answer, or a given one (``target``), held with at least ``confidence``; a tie is neither."""

    target: int | None = None
    confidence: float = 0.0

    def reached(self, probabilities: Floats, gold: int) -> NDArray[np.bool_]:
        """Say for each row whether it fools; rows are texts, columns classes.

        A wrong label must be strictly ahead of the right one, a target of every other.
        """
        most = probabilities.argmax(axis=-1)
        likely = most != gold if self.target is None else most == self.target
        if not likely.any():  # mostly; what is not ahead here is not after rounding
            return np.asarray(likely)
        first = leading(probabilities)
        sure = np.round(probabilities.max(axis=-1), CONFIDENCE_DECIMALS) >= self.confidence
        if self.target is None:
            return np.asarray(~first[..., gold] & sure)
        return np.asarray(first[..., self.target] & (first.sum(axis=-1) == 1) & sure)

    def progress(self, probabilities: Floats, gold: int) -> Floats:
        """Return how near each row is: the probability of the target, or of anything but the gold label."""
        if self.target is None:
            return np.asarray(1.0 - probabilities[..., gold], dtype=np.float32)
        return np.asarray(probabilities[..., self.target], dtype=np.float32)

    def nothing_to_do(self, answer: int, gold: int) -> bool:
        """Whether the original text needs no attack: it is wrong already, or already has the target."""
        return answer != gold or answer == self.target
