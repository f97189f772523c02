"""Search: ways to put changes together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from unfool.engine import Ask
from unfool.text import Text, Variants

_FIRST_CHUNK, _LARGEST_CHUNK = 32, 2048


async def apply_in_order(ask: Ask, text: Text, swaps: Iterable[tuple[int, str]]) -> Text:
    """Apply changes one after the other until the victim is fooled; one that is not permitted is left out."""
    for position, word in swaps:
        changed = text.replace(position, word)
        if not await ask.permitted(changed):
            continue
        text = changed
        if await ask.fooled(text):
            break
    return text


async def first_that_fools(ask: Ask, swaps: Variants, at_first: int = _FIRST_CHUNK) -> Text:
    """Return the first of the sample's texts so changed that fools; where none does, the one that came nearest.

    They are asked in order, in chunks that double. The outcome is that of asking one by one, under a query budget
    too; but what stands behind the first that fools in its chunk has been asked, and counts: at most twice as
    many queries as one by one, and the size of the first chunk more.

    Args:
        ask: The sample's line to the victim.
        swaps: Changes of the sample's text, in order.
        at_first: How many are asked at first.
    """
    nearest, most = ask.sample.text, -np.inf
    start, size = 0, at_first
    while start < len(swaps):
        # Cut to what may still be asked, a lucky word among the last queries is not lost.
        left = size if ask.budget.queries is None else max(1, ask.budget.queries - ask.queries)
        stop = min(start + min(size, left), len(swaps))
        chunk = swaps.take(range(start, stop))
        chunk = chunk.take(await ask.permitted(chunk))
        answers = await ask.predict(chunk)
        for number in np.flatnonzero(ask.goal.reached(answers, ask.sample.label)).tolist():
            if await ask.holds(chunk[number], answers[number]):
                return chunk[number]
        if len(chunk):
            gains = ask.goal.progress(answers, ask.sample.label)
            best = int(gains.argmax())
            if gains[best] > most:
                nearest, most = chunk[best], gains[best]
        start, size = stop, min(2 * size, _LARGEST_CHUNK)
    return nearest
