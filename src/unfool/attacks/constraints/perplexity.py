"""A constraint: a language model finds the text nearly as likely as the original."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.engine import Ask
from unfool.lexicon.language_model import language_model
from unfool.text import Text

_UNSURE = 0.4
"""Twice the largest error in bfloat16 of 500 such differences between logarithms (`bench/margins.py`)."""


@constraint(cost=4, between=(0.0, math.inf), opens=language_model, language="English")
async def perplexity(ask: Ask, original: Text, texts: Sequence[Text], *, at_most: float) -> list[bool]:
    """The text's perplexity is at most this many times the original's (SmolLM2, per token)."""
    strings = ["\n".join(text.editable_strings) for text in (original, *texts)]
    room = math.log(at_most) if at_most else -math.inf
    model = language_model()
    quick = model.quick if ask.approximate else model
    before, *after = await ask.use(quick, strings)
    keeps = [log <= before + room for log in after]
    if quick is not model:
        unsure = [number for number, log in enumerate(after) if abs(log - before - room) <= _UNSURE]
        before, *exact = await ask.use(model, [strings[0], *(strings[1 + number] for number in unsure)])
        for number, log in zip(unsure, exact, strict=True):
            keeps[number] = log <= before + room
    return keeps
