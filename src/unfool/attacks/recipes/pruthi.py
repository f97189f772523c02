"""Misspellings (Pruthi et al., 2019): the one slip, or the few, that does most harm."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import IN_WORDS, attack, refuse_below
from unfool.attacks.parts.offers import Slip, once_a_word
from unfool.attacks.parts.offers import slips as slips_of_words
from unfool.attacks.parts.search import beam_search, by_asking
from unfool.engine import Ask
from unfool.text import Sample, Text

_ALL: tuple[Slip, ...] = ("swap", "drop", "add", "key")


@attack(letters=IN_WORDS)
async def pruthi(sample: Sample, ask: Ask, *, kind: Literal["all", Slip] = "all", slips: int = 1) -> Text:
    """Make the slip that brings the goal nearest, of all there are inside the words; then the next, if allowed.

    Words of fewer than four letters and stop words stay, and so do the first and the last letter of a word.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        kind: ``swap``: two letters change places; ``drop``: one is left out; ``add``: any letter comes in; ``key``:
            one becomes that of a key beside it; ``all``: any of these.
        slips: How many words get one.
    """
    refuse_below("pruthi", 1, slips=slips)
    propose = once_a_word(
        sample.text, slips_of_words(sample.text, _ALL if kind == "all" else (kind,), ask.language)
    )
    return await beam_search(ask, sample.text, by_asking(ask, propose), width=1, steps=slips)
