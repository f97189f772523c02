"""Tack-on (CS229 report): a word that Naive Bayes holds against the label, in place of the first."""

from __future__ import annotations

from unfool.attacks import attack
from unfool.attacks.parts import naive_bayes, opposing_words, word_tokens
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack()
async def tack_on(sample: Sample, ask: Ask, *, nb: str = "zoo:NB@imdb") -> Text:
    """Put one of the five words that speak most against the label, drawn at random, in the first word's place.

    The victim is not asked. With more than two labels, or a target, the words are those that speak most for any
    other label, or for the target.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        nb: The Naive Bayes that weighs the words; trained on first use.
    """
    text = sample.text
    words = opposing_words(naive_bayes(nb, ask), sample.label, ask.goal.target)
    positions, _ = word_tokens(text)
    if not positions:
        return text
    changed = text.replace(positions[0], words[int(ask.random.integers(len(words)))])
    return changed if await ask.permitted(changed) else text
