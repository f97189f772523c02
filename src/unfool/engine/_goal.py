"""What counts as fooling the victim."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Goal:
    """Any wrong answer, or a given one (``target``), held with at least ``confidence``."""

    target: int | None = None
    confidence: float = 0.0

    def reached(self, probabilities: Floats, gold: int) -> NDArray[np.bool_]:
        """Say for each row whether it fools; rows are texts, columns classes."""
        answer = probabilities.argmax(axis=-1)
        fooled = answer != gold if self.target is None else answer == self.target
        sure = probabilities.max(axis=-1) >= self.confidence
        return np.asarray(fooled & sure)

    def progress(self, probabilities: Floats, gold: int) -> Floats:
        """Return how near each row is: the probability of the target, or of anything but the gold label."""
        if self.target is None:
            return np.asarray(1.0 - probabilities[..., gold], dtype=np.float32)
        return np.asarray(probabilities[..., self.target], dtype=np.float32)

    def nothing_to_do(self, answer: int, gold: int) -> bool:
        """Whether the original text needs no attack: it is wrong already, or already has the target."""
        return answer != gold or answer == self.target
