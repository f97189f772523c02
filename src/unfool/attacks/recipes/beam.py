"""Beam search over any space, so that searches can be compared on one (Yoo et al., 2020)."""

from __future__ import annotations

from unfool.attacks import IN_WORDS, LOOK_ALIKES, attack, refuse_below
from unfool.attacks.parts.offers import Space, offers_of, once_a_word
from unfool.attacks.parts.search import beam_search, by_asking
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack(language="English", wordnets=True, letters={"slips": IN_WORDS, "look-alikes": LOOK_ALIKES})
async def beam(
    sample: Sample, ask: Ask, *, space: Space = "synonyms", width: int = 8, steps: int | None = None
) -> Text:
    """Ask about every replacement of a word, go on with the best few, and so on until the victim is fooled.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        space: What may stand in a word's place. ``synonyms``: WordNet's; ``neighbours``: by counter-fitted vectors,
            stop words left alone; ``slips``: Pruthi's misspellings; ``look-alikes``: one letter by Unicode's
            confusables.
        width: With how many texts it goes on; 1 is the greedy search.
        steps: The most words replaced; ``none`` for all.
    """
    refuse_below("beam", 1, width=width, steps=1 if steps is None else steps)
    text = sample.text
    propose = once_a_word(text, offers_of(text, space, ask.language))
    most = len(text.editable) if steps is None else steps
    return await beam_search(ask, text, by_asking(ask, propose), width=width, steps=most)
