"""Rank: which words matter, and which change at each does most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Ask, Floats
from unfool.text import DELETED, Text, Variants

Without = Literal["unknown", "delete", "oov"]


async def importance(ask: Ask, text: Text, positions: Sequence[int], without: Without = "unknown") -> Floats:
    """Return the victim's answers about the text without each word: one row a position.

    Args:
        ask: The sample's line to the victim.
        text: The text as it is.
        positions: The words to leave out, one at a time.
        without: Put the victim's unknown word there, the literal ``<oov>``, or take the word out.
    """
    stand_in = {"unknown": ask.unknown, "delete": DELETED, "oov": "<oov>"}[without]
    return await ask.predict(text.variants(positions, stand_in))


def ranked(scores: NDArray[np.floating]) -> list[int]:
    """Return the numbers of the scores, largest first; ties go to the lowest number."""
    order: list[int] = np.argsort(-np.asarray(scores), kind="stable").tolist()
    return order


def best_per_position(swaps: Variants, gains: Floats, *, last_wins: bool = False) -> NDArray[np.intp]:
    """Return, for each position in order, the number of its swap with the largest gain.

    Ties go to the swap named first, or to the last where ``last_wins``.
    """
    return best_per_group(np.asarray(swaps.positions), gains, last_wins=last_wins)


def best_per_group(groups: NDArray[np.integer], gains: Floats, *, last_wins: bool = False) -> NDArray[np.intp]:
    """Return, for each group in order, the number of its largest gain; ties go to the first, or the last."""
    numbers = np.arange(len(groups))
    order = np.lexsort((-numbers if last_wins else numbers, -gains, groups))
    first = np.ones(len(order), dtype=bool)
    first[1:] = groups[order][1:] != groups[order][:-1]
    return np.asarray(order[first])
