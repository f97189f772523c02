"""Any word of a vocabulary in a word's place: which, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from unfool.attacks.parts._rank import ranked
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.text import Text, Variants

Order = Literal["random", "best", "distance"]
_BLOCK = 256
"""Summaries asked for at once: those of all words of many samples would not fit into memory."""
_DECIMALS = 4


def vocabulary(ask: Ask) -> Sequence[str]:
    """Return the victim's own words where it has a list of them, else those of the counter-fitted vectors."""
    return ask.vocabulary or counter_fitted().words


async def vocabulary_swaps(
    ask: Ask, text: Text, position: int, *, order: Order, candidates: int | None, marks: bool
) -> Variants:
    """Return the text with other words of the vocabulary at a position, in the order to try them.

    Args:
        ask: The sample's line to the victim.
        text: The text.
        position: Whose word is replaced.
        order: ``random``; ``best``: nearest to the goal first, which asks about all of them; ``distance``: first
            those that move what the net decides by least, by the sum of absolute differences.
        candidates: How many words are drawn, the same ones whatever the order; all where None.
        marks: Whether words without a letter or a digit may be put there.
    """
    if candidates is not None and candidates < 1:
        raise UserError(f"candidates={candidates} leaves no word to try; give 1 or more, or none for all words")
    words, old = vocabulary(ask), text.words[position]
    drawn = [
        number
        for number in ask.random.permutation(len(words)).tolist()
        if words[number] != old and (marks or any(map(str.isalnum, words[number])))
    ][:candidates]
    if order != "random":
        drawn.sort()  # equals stay in the order of the vocabulary
    swaps = text.variants([position] * len(drawn), [words[number] for number in drawn])
    if order == "best":
        return swaps.take(ranked(await ask.progress(swaps)))
    if order == "distance":
        return swaps.take(ranked(-await _distances(ask, text, swaps)))
    return swaps


async def _distances(ask: Ask, text: Text, swaps: Variants) -> Floats:
    """Return how far each change moves what the net decides by: L1 distances, rounded."""
    summaries = ask.service("summaries")
    before = (await ask.use(summaries, text)).astype(np.float64)
    found: Floats = np.empty(len(swaps), dtype=np.float32)
    for start in range(0, len(swaps), _BLOCK):
        block = range(start, min(start + _BLOCK, len(swaps)))
        after = await ask.use(summaries, swaps.take(block))
        found[block.start : block.stop] = np.round(np.abs(after - before).sum(axis=1), _DECIMALS)
    return found
