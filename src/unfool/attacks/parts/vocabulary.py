"""Put any word of a vocabulary in a word's place: which words are tried, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from unfool.attacks.parts.rank import ranked
from unfool.attacks.parts.search import first_that_fools
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.text import Text, Variants
from unfool.victims import Summaries

Order = Literal["random", "best", "distance"]
_BLOCK = 256
"""Summaries asked for at once: those of all words of many samples would not fit into memory."""
_DECIMALS = 4
_NOTE = "words looked at"


def vocabulary(ask: Ask) -> Sequence[str]:
    """Return the victim's own words if it has a list of them, else those of the counter-fitted vectors."""
    return ask.vocabulary or counter_fitted().words


async def fooling_word(
    ask: Ask, text: Text, position: int, *, order: Order, candidates: int | None, marks: bool
) -> Text:
    """Put another word of the vocabulary at a position: the first that fools, else the nearest to the goal.

    Args:
        ask: The sample's line to the victim.
        text: The text.
        position: Whose word is replaced.
        order: ``random``; ``best``: nearest to the goal first, which asks about all of them; ``distance``: first
            those that move what the net decides by least, by the sum of absolute differences.
        candidates: How many words are drawn, the same ones whatever the order; None means all.
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
    if order == "distance":
        return await first_that_fools(ask, await _that_fool_nearest_first(ask, text, swaps), at_first=1)
    if order == "best":
        swaps = swaps.take(ranked(await ask.progress(swaps)))
    return await first_that_fools(ask, swaps)


async def _that_fool_nearest_first(ask: Ask, text: Text, swaps: Variants) -> Variants:
    """Return the changes that fool, first those that move what the net decides by least; else the best of all.

    The look that tells how far a change moves the net tells its answer, too. So what does not fool is not asked
    about: with a whole vocabulary, that is a forward pass less for most of the words.
    """
    summaries, label = ask.service("summaries"), ask.sample.label
    before: Summaries = await ask.use(summaries, ask.sample.text)
    distances: list[Floats] = []
    answers: list[Floats] = []
    for start in range(0, len(swaps), _BLOCK):
        after: Summaries = await ask.use(summaries, swaps.take(range(start, min(start + _BLOCK, len(swaps)))))
        moved = np.abs(after.vectors - before.vectors.astype(np.float64)).sum(axis=1)
        distances.append(np.round(moved, _DECIMALS).astype(np.float32))
        answers.append(after.answers)
    ask.notes[_NOTE] = float(len(swaps))
    if not answers:
        return swaps
    found = np.concatenate(answers)
    fooling = np.flatnonzero(ask.goal.reached(found, label))
    if not len(fooling):
        return swaps.take(ranked(ask.goal.progress(found, label))[:1])
    return swaps.take(fooling[ranked(-np.concatenate(distances)[fooling])].tolist())
