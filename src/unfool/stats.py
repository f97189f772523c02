"""Shares of samples, and how sure one can be of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Z95 = 1.959963984540054
"""The normal quantile that leaves 2.5 % on either side."""


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share; all of [0, 1] if nothing was counted."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = successes / n, Z95**2
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = Z95 * (share * (1 - share) / n + z2 / (4 * n * n)) ** 0.5 / (1 + z2 / n)
    return max(0.0, middle - reach), min(1.0, middle + reach)


@dataclass(frozen=True, slots=True)
class Rate:
    """``count`` samples out of ``of``."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, between 0 and 1; None of nothing."""
        return self.count / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share."""
        return wilson(self.count, self.of)

    def to_dict(self) -> dict[str, int | float | None]:
        """Return plain values for a JSON file, share and interval spelt out."""
        low, high = self.interval
        return {"count": self.count, "of": self.of, "value": self.value, "low": low, "high": high}

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        low, high = self.interval
        return f"{self.value:.1%} [{low:.1%}, {high:.1%}]"


_SURE_DECIMALS = 9
"""Floats multiply 0.29 and 100 to 28.999999999999996."""


def whole_share(share: float, of: int) -> int:
    """Return how many things a share of them is; a part of a thing is none."""
    return math.floor(round(share * of, _SURE_DECIMALS))


def percentage(part: int, whole: int) -> float:
    """Return a part in percent; an empty whole counts as one, so that adding to nothing is a change."""
    return 100 * part / max(whole, 1)


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p-value: the chance of a split at least as uneven by tossing a fair coin."""
    n = only_a + only_b
    tail = ways = 1  # of k heads among n tosses, from k = 0 on
    for k in range(1, min(only_a, only_b) + 1):
        ways = ways * (n - k + 1) // k
        tail += ways
    return min(1.0, 2 * tail / (1 << n))


def paired_difference(only_a: int, only_b: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of the difference of two shares of the same ``n`` things, share A less share B.

    Agresti and Min's (2005): Wald's, with half a thing more in each of the four cells. Unlike Wald's own it is no
    point where the two never differ.

    Args:
        only_a: How many count for A alone.
        only_b: How many count for B alone.
        n: How many there are.
    """
    apart, all_in = only_a - only_b, n + 2
    reach = Z95 * (only_a + only_b + 1 - apart**2 / all_in) ** 0.5 / all_in
    return max(-1.0, apart / all_in - reach), min(1.0, apart / all_in + reach)


def fisher_less(less: Rate, more: Rate) -> float:
    """Return the p-value of Fisher's exact test that the first share is below the second."""
    import numpy as np

    total, hits = less.of + more.of, less.count + more.count
    here, least = less.count, max(0, hits - more.of)
    below = np.arange(here, least, -1, dtype=np.float64)
    # From the chance of the very counts, step by step to those of fewer: each is the one before times this.
    steps = below * (more.of - hits + below) / ((hits - below + 1) * (less.of - below + 1))
    exactly = _log_choose(less.of, here) + _log_choose(more.of, hits - here) - _log_choose(total, hits)
    each = exactly + np.concatenate([[0.0], np.log(steps).cumsum()])
    return float(np.exp(each).sum())


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows that sum to one; safe for scores of any size."""
    import numpy as np

    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))
