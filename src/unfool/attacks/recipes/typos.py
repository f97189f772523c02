"""Typos (Belinkov and Bisk, 2018), as Hsieh et al. (2019) attack translators: one random word, one random typo."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import LATIN, attack, refuse_below
from unfool.attacks.parts.slips import slips_of
from unfool.engine import Ask
from unfool.lexicon.typos import code_of
from unfool.text import Sample, Text


@attack(letters=LATIN)
async def typos(
    sample: Sample,
    ask: Ask,
    *,
    kind: Literal["natural", "keyboard"] = "natural",
    language: Literal["en", "de", "fr"] | None = None,
    tries: int = 1,
) -> Text:
    """Replace one random word that has typos by one of them.

    As in the paper, nothing is searched: with one try, the typo is what it is. Words without an entry stay.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        kind: ``natural``: typos that people made; ``keyboard``: one letter becomes that of a key beside it.
        language: The language of the words; ``none``: that of the texts where it is one of these, else ``en``.
        tries: How many typos to draw; all are asked about, and the one nearest to the goal stays.
    """
    refuse_below("typos", 1, tries=tries)
    text, keys = sample.text, language or code_of(ask.language)
    open_words = [spot for spot in text.editable if slips_of(text.words[spot], kind, keys)]
    drawn = []
    for _ in range(tries if open_words else 0):
        spot = open_words[int(ask.random.integers(len(open_words)))]
        slips = slips_of(text.words[spot], kind, keys)
        drawn.append((spot, slips[int(ask.random.integers(len(slips)))]))
    swaps = text.variants([spot for spot, _ in drawn], [word for _, word in drawn])
    swaps = swaps.take(await ask.permitted(swaps))
    if not len(swaps):
        return text
    gains = await ask.progress(swaps)
    return swaps[int(gains.argmax())]
