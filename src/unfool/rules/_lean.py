"""Whether counts of two words lean beyond chance."""

from __future__ import annotations

import math

import numpy as np

from unfool.stats import Rate

_CHANCE = 0.025
"""Of either direction, as a 95 % interval leaves on either side."""


def leans_less(less: Rate, more: Rate) -> bool:
    """Say whether the first share is below the second by more than chance gives (Fisher's exact test)."""
    total, hits = less.of + more.of, less.count + more.count
    here, least = less.count, max(0, hits - more.of)
    below = np.arange(here, least, -1, dtype=np.float64)
    # From the chance of the very counts, step by step to those of fewer: each is the one before times this.
    steps = below * (more.of - hits + below) / ((hits - below + 1) * (less.of - below + 1))
    exactly = _log_choose(less.of, here) + _log_choose(more.of, hits - here) - _log_choose(total, hits)
    each = exactly + np.concatenate([[0.0], np.log(steps).cumsum()])
    return float(np.exp(each).sum()) <= _CHANCE


def could_lean_less(less: Rate, more: Rate) -> bool:
    """Say whether so many occurrences could have shown such a lean: had the first share been zero."""
    return leans_less(Rate(0, less.of), more)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
