"""N strongest words swap (CS229 report): the words that speak most for the label give way to some against it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.naive_bayes import label_in, naive_bayes, opposing_words, target_in, word_tokens
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack(from_data={"nb": "zoo:NB@{}"})
async def strongest_swap(
    sample: Sample,
    ask: Ask,
    *,
    n: int = 5,
    replacement: Literal["random", "strongest"] = "random",
    nb: str | None = None,
) -> Text:
    """Replace the words that Naive Bayes finds strongest for the label by those it finds strongest against it.

    The victim is not asked. A word that stands twice counts twice; equal ones go from left to right.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        n: How many words are replaced; 1, 3 and 5 in the report.
        replacement: One of the five strongest words against the label, drawn anew for each place, or always the
            ``strongest``; the report does not say which.
        nb: The Naive Bayes that weighs the words, trained on first use: ``zoo:NB@DATA``, or ``zoo:NB@FILE.csv``.
            ``none`` takes one trained on the data under attack: on its training split, or on nine tenths of a file.
    """
    refuse_below("strongest-swap", 1, n=n)
    text, model = sample.text, naive_bayes(nb, ask)
    label = label_in(model, ask, sample.label)
    words = opposing_words(model, label, target_in(model, ask))
    positions, tokens = word_tokens(text)
    sway = model.sway_of(tokens, label)
    for number in ranked(sway)[:n]:
        drawn = int(ask.random.integers(len(words))) if replacement == "random" else 0
        changed = text.replace(positions[number], words[drawn])
        if np.isfinite(sway[number]) and await ask.permitted(changed):
            text = changed
    return text
