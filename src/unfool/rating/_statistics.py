"""Agreement of raters, and intervals of figures about items."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]

_RESAMPLES = 1000


def agreement(counts: Counts, *, ordered: bool = False) -> float | None:
    """Return Krippendorff's alpha: 1 if raters agree in all, 0 if as much as by chance; None if that is unknown.

    Args:
        counts: How often each item (a row) got each answer (a column). Raters may have left items out.
        ordered: Whether answers are steps of a scale, so that 1 and 2 differ less than 1 and 5.
    """
    judged = counts[counts.sum(axis=1) >= 2]
    pairs = judged.sum(axis=1) - 1
    # How often two answers to the same item meet, each item weighing as much as it has answers.
    met = (judged / pairs[:, None]).T @ judged - np.diag((judged / pairs[:, None]).sum(axis=0))
    often = met.sum(axis=0)
    by_chance = (np.outer(often, often) - np.diag(often)) / (often.sum() - 1) if len(judged) else met
    distance = _steps_apart(often) if ordered else 1 - np.eye(len(often))
    expected = float((by_chance * distance).sum())
    return 1 - float((met * distance).sum()) / expected if expected > 0 else None


def _steps_apart(often: Counts) -> Counts:
    """Return the ordinal distance of answers: how many answers lie between the two."""
    up_to = np.cumsum(often) - often / 2
    return np.asarray((up_to[:, None] - up_to[None, :]) ** 2)


def resampled(figure: Callable[[Counts], Counts], items: int, seed: int) -> tuple[Sequence[float], Sequence[float]]:
    """Return the 95 % bootstrap intervals of figures: the lower ends and the upper.

    Items are drawn anew, not votes: votes on one item go together. A figure that a draw leaves open, as NaN, may
    for all that is known be 0 or 1, and makes the interval the wider.

    Args:
        figure: Takes, a row a draw, how often each item is drawn; gives a row of figures for each.
        items: How many items there are.
        seed: Decides the draws.
    """
    drawn = np.random.default_rng(seed).integers(items, size=(_RESAMPLES, items))
    often = np.stack([np.bincount(row, minlength=items) for row in drawn]).astype(np.float64)
    found = figure(often)
    low = np.percentile(np.nan_to_num(found, nan=0), 2.5, axis=0)
    high = np.percentile(np.nan_to_num(found, nan=1), 97.5, axis=0)
    return low.tolist(), high.tolist()
