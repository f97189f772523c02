"""A constraint: the source stays near to what it was, letter by letter."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.engine import Ask
from unfool.generation import chrf as similar
from unfool.generation import sacrebleu
from unfool.text import Text


@constraint(cost=1, opens=sacrebleu)
async def chrf(ask: Ask, original: Text, texts: Sequence[Text], *, at_least: float) -> list[bool]:
    """Every field stays this similar by chrF2, sacrebleu's count of shared runs of letters."""
    return [
        all(
            similar(now, was) >= at_least
            for was, now in zip(original.strings, text.strings, strict=True)
            if was != now
        )
        for text in texts
    ]
