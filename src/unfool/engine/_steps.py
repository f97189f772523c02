"""The way an attack went, read from the texts themselves: each knows which one it was made of."""

from __future__ import annotations

from unfool.engine._outcome import Step, Swap
from unfool.text import Text


def steps_between(original: Text, text: Text) -> tuple[Step, ...]:
    """Return the changes that led from one text to the other, in their order; none where that cannot be seen."""
    steps = list[Step]()
    while text is not original:
        if text.origin is None:
            return ()
        before, positions = text.origin
        spots = sorted(spot for spot in positions if before.words[spot] != text.words[spot])
        if spots:
            steps.append(tuple(Swap(spot, before.words[spot], text.words[spot]) for spot in spots))
        text = before
    return tuple(reversed(steps))
