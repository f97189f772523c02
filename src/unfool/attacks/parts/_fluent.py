"""Constrain by a language model: of a word's candidates, those it finds likeliest where they stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Ask
from unfool.lexicon.language_model import language_model
from unfool.text import Text


def words_before(text: Text, position: int, count: int) -> tuple[str, ...]:
    """Return up to so many words that stand before a position in its field, marks left out."""
    return text.words[max(text.field_of(position).start, position - count) : position]


async def likeliest(
    ask: Ask, groups: NDArray[np.int64], contexts: Sequence[Sequence[str]], words: Sequence[str], count: int
) -> NDArray[np.intp]:
    """Return the numbers of the words that are likeliest in their group, so many of each, in their order.

    Args:
        ask: The sample's line to the engine, which asks the model about all of them at once.
        groups: The group of each word, in rising order.
        contexts: What stands before each word; the same for all words of a group.
        words: The candidates.
        count: How many are kept of each group; equals go to the first.
    """
    # The context is the same within a group, so the whole string's surprise ranks as its last word's does.
    strings = [" ".join([*context, word]) for context, word in zip(contexts, words, strict=True)]
    surprise = np.array(await ask.use(language_model().totals, strings), dtype=np.float64)
    order = np.lexsort((surprise, groups))
    place = np.arange(len(order)) - np.searchsorted(groups, groups)
    return np.sort(order[place < count])
