"""Stretch vowels: "great" becomes "greeeat"."""

from __future__ import annotations

import re

from unfool.attacks import attack
from unfool.attacks.parts.rank import answers_without, ranked
from unfool.attacks.parts.search import apply_in_order
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack()
async def stretch(sample: Sample, ask: Ask, *, times: int = 2) -> Text:
    """Repeat the first vowel of the words that matter most, until the victim is fooled.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        times: How often the vowel is repeated.
    """
    text = sample.text
    spots = [spot for spot in text.editable if re.search("[aeiou]", text.words[spot])]
    order = ranked(ask.goal.progress(await answers_without(ask, text, spots), sample.label))
    longer = [re.sub("[aeiou]", lambda vowel: vowel[0] * (1 + times), text.words[spot], count=1) for spot in spots]
    return await apply_in_order(ask, text, [(spots[n], longer[n]) for n in order])
