"""Tack-on (CS229 report): a word that Naive Bayes holds against the label, in place of the first."""

from __future__ import annotations

from unfool.attacks import attack
from unfool.attacks.parts.naive_bayes import label_in, naive_bayes, opposing_words, target_in, word_tokens
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack(from_data={"nb": "zoo:NB@{}"})
async def tack_on(sample: Sample, ask: Ask, *, nb: str | None = None) -> Text:
    """Put one of the five words that speak most against the label, drawn at random, in the first word's place.

    The victim is not asked. With more than two labels, or a target, the words are those that speak most for any
    other label, or for the target.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        nb: The Naive Bayes that weighs the words, trained on first use: ``zoo:NB@DATA``, or ``zoo:NB@FILE.csv``.
            ``none`` takes one trained on the data under attack: on its training split, or on nine tenths of a file.
    """
    text = sample.text
    model = naive_bayes(nb, ask)
    words = opposing_words(model, label_in(model, ask, sample.label), target_in(model, ask))
    positions, _ = word_tokens(text)
    if not positions:
        return text
    changed = text.replace(positions[0], words[int(ask.random.integers(len(words)))])
    return changed if await ask.permitted(changed) else text
