"""Noise (Belinkov and Bisk, 2018): every word gets a slip, as texts of people who type do."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import IN_WORDS, LATIN, attack
from unfool.attacks.parts.slips import noisy
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.lexicon.typos import code_of
from unfool.text import Sample, Text


@attack(letters={"swap": IN_WORDS, "middle": IN_WORDS, "full": IN_WORDS, "key": LATIN, "natural": LATIN})
async def noise(
    sample: Sample,
    ask: Ask,
    *,
    kind: Literal["swap", "middle", "full", "key", "natural"] = "swap",
    share: float = 1.0,
    language: Literal["en", "de", "fr"] | None = None,
) -> Text:
    """Put a random slip into every word, without asking the victim.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        kind: ``swap``: two inner letters change places; ``middle``: the inner letters are shuffled; ``full``: all
            are; ``key``: a letter becomes that of a key beside it; ``natural``: a typo that people made.
        share: The chance of each word to get one.
        language: The language of the lists behind ``key`` and ``natural``; ``none``: that of the texts where it is
            one of these, else ``en``.
    """
    if not 0 < share <= 1:
        raise UserError(f"the attack 'noise' cannot take share={share:g}; it takes a number above 0 and up to 1")
    text, keys = sample.text, language or code_of(ask.language)
    for spot in text.editable:
        if ask.random.random() >= share:
            continue
        slip = noisy(text.words[spot], kind, keys, ask.random)
        if slip == text.words[spot]:
            continue
        changed = text.replace(spot, slip)
        if await ask.permitted(changed):
            text = changed
    return text
