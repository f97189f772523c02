"""Search: word by word, keep the offered replacement that brings the goal nearest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask
from unfool.text import Text, edit_distance

Passes = Callable[[Text], Awaitable[bool]]
"""Says whether a text may be kept; asked only about texts that would be."""


class Reached(NamedTuple):
    """Where a climb ended, and how near to the goal that is."""

    text: Text
    progress: float


async def climb(
    ask: Ask,
    text: Text,
    offers: Mapping[int, Sequence[str]],
    order: Iterable[int],
    *,
    edits: float = float("inf"),
    most: float = float("inf"),
    passes: Passes | None = None,
) -> Reached:
    """Go from word to word; put there what brings the goal nearest, if that helps, until the victim is fooled.

    Args:
        ask: The sample's line to the victim.
        text: The text.
        offers: What may stand in a word's place, by position.
        order: The positions, in the order to go.
        edits: How many characters may change in all.
        most: How many words may change in all.
        passes: What a replacement must keep besides the user's constraints.
    """
    reached = float((await ask.progress(text))[0])
    for spot in order:
        if most < 1:
            break
        near = [word for word in offers.get(spot, ()) if edit_distance(text.words[spot], word) <= edits]
        swaps = text.variants([spot] * len(near), near)
        swaps = swaps.take(await ask.permitted(swaps))
        answers = await ask.predict(swaps)
        gains = ask.goal.progress(answers, ask.sample.label)
        for best in ranked(gains):
            if gains[best] <= reached:
                break
            if passes is None or await passes(swaps[best]):
                edits -= edit_distance(text.words[spot], swaps.words[best])
                most -= 1
                text, reached = swaps[best], float(gains[best])
                if await ask.holds(text, answers[best]):
                    return Reached(text, reached)
                break
    return Reached(text, reached)
