"""Agreement of raters, and the strengths of methods that were compared in pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]

_RESAMPLES = 1000
_MOST_STEPS = 10_000
_STILL = 1e-10


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


def strengths(won: Counts) -> Counts:
    """Return the Bradley-Terry strengths of methods, the strongest 1: A beats B with chance a / (a + b).

    Args:
        won: How often the method of the row was preferred to that of the column.
    """
    met, wins = won + won.T, won.sum(axis=1)
    found = np.ones(len(won))
    for _ in range(_MOST_STEPS):  # Hunter's minorisation-maximisation
        with np.errstate(divide="ignore", invalid="ignore"):
            against = np.where(met > 0, met / (found[:, None] + found[None, :]), 0).sum(axis=1)
            better = np.where(against > 0, wins / against, np.nan)
        better = better / np.nanmax(better)
        still = np.nanmax(np.abs(better - found)) < _STILL
        found = better
        if still:
            break
    return found


def resampled(
    figure: Callable[[NDArray[np.int64]], Counts], items: int, seed: int
) -> tuple[Sequence[float], Sequence[float]]:
    """Return the 95 % bootstrap intervals of figures: the lower ends and the upper.

    Items are drawn anew, not votes: votes on one item go together.

    Args:
        figure: Takes the figures of items, given by their numbers, some several times.
        items: How many items there are.
        seed: Decides the draws.
    """
    rng = np.random.default_rng(seed)
    drawn = np.stack([figure(rng.integers(items, size=items)) for _ in range(_RESAMPLES)])
    low, high = np.nanpercentile(drawn, (2.5, 97.5), axis=0)
    return low.tolist(), high.tolist()
