"""Random search for a suffix (Andriushchenko et al., 2024), which needs no gradients."""

from __future__ import annotations

import string

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.suffix import Tries
from unfool.engine import Ask
from unfool.text import Sample, Text

_WRITTEN = string.ascii_letters + string.digits + string.punctuation
_LONGEST_RUN = 8


@attack()
async def random_search(
    sample: Sample, ask: Ask, *, length: int = 40, steps: int = 200, draws: int = 8, start: str = "!"
) -> Text:
    """Put a suffix behind the text and rewrite random stretches of it, each time one that brings the goal nearer.

    The paper changes tokens, and asks about one change at a time; here characters change, so that a model behind an
    address will do, and of a few changes asked about together the best is taken, if it is better. Stretches are
    eight characters long at first, and shrink to one.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        length: Characters of the suffix.
        steps: How often it may be rewritten.
        draws: How many changes are drawn, and asked about, a step.
        start: The character that the first suffix repeats.
    """
    refuse_below("random-search", 1, length=length, steps=steps, draws=draws)
    tries = Tries(ask)
    now = await tries.best_of([start[:1] * length])
    for step in range(steps):
        if now is None or now.fools:
            break
        run = max(1, min(_LONGEST_RUN, length) * (steps - step) // steps)
        changed = await tries.best_of([_rewritten(ask, now.suffix, run) for _ in range(draws)])
        if changed is None:
            break
        if changed.fools or changed.progress > now.progress:
            now = changed
    return tries.nearest


def _rewritten(ask: Ask, suffix: str, run: int) -> str:
    """Draw other characters for a stretch of a suffix."""
    at = int(ask.random.integers(len(suffix) - run + 1))
    drawn = "".join(_WRITTEN[number] for number in ask.random.integers(len(_WRITTEN), size=run).tolist())
    return suffix[:at] + drawn + suffix[at + run :]
