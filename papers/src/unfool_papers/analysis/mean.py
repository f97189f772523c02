"""A mean with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

_RESAMPLES = 2000


class Mean(NamedTuple):
    """The mean of ``n`` values with its 95 % bootstrap interval; of a single value there is none."""

    n: int
    value: float
    """NaN of no values."""
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float] | ArrayLike, seed: int = 0) -> Mean:
        """Take the mean of values; the seed draws the resamples."""
        numbers = np.asarray(values, dtype=np.float64)
        if len(numbers) < 2:
            return cls(len(numbers), float(numbers.sum()) if len(numbers) else math.nan, None, None)
        draw = np.random.default_rng(seed)
        means = [numbers[draw.integers(len(numbers), size=len(numbers))].mean() for _ in range(_RESAMPLES)]
        low, high = np.quantile(means, [0.025, 0.975])
        return cls(len(numbers), float(numbers.mean()), float(low), float(high))

    def __str__(self) -> str:
        if self.low is None:
            return f"{self.value:.2f}"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"
