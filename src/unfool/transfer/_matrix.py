"""The matrix of rates between models, to compute with."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PLACES = 6
"""Tables round once more, to thousandths: with fewer places, a share just below a half of one could become it."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """How often texts that fool a source (row) fool a target (column).

    Where source and target are the same model, the rate is its base rate: between it and its twin, trained alike
    from another seed. A rate nobody took is NaN.

    Attributes:
        sources: The rows' models.
        targets: The columns' models.
        rates: Between 0 and 1.
        texts: How many texts each rate was taken over.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    rates: Floats
    texts: NDArray[np.int64]

    @property
    def same(self) -> NDArray[np.bool_]:
        """Where source and target are the same model."""
        return np.array([[source == target for target in self.targets] for source in self.sources])

    @property
    def base(self) -> Floats:
        """The targets' base rates, NaN if a model has no twin."""
        base = np.full(len(self.targets), np.nan)
        rows, columns = np.nonzero(self.same)
        base[columns] = self.rates[rows, columns]
        return base

    @property
    def between(self) -> Floats:
        """The rates between different models; NaN on the diagonal."""
        return np.where(self.same, np.nan, self.rates)


def mean(values: Floats) -> float:
    """Return the mean without NaN, or NaN of nothing."""
    chosen = values[~np.isnan(values)]
    return float(chosen.mean()) if chosen.size else float("nan")


def rounded(value: float | None) -> float | None:
    """Return a figure as files have it; None of NaN."""
    return None if value is None or math.isnan(value) else round(float(value), PLACES)
