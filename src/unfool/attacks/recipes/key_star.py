"""Key* (Ebrahimi et al., 2018): the stronger black-box adversary, free to type anything."""

from __future__ import annotations

from string import ascii_letters, digits, punctuation

from unfool.attacks import attack
from unfool.attacks.parts.characters import character_steps
from unfool.attacks.parts.search import random_flips
from unfool.engine import Ask
from unfool.text import Sample, Text

_SYMBOLS = ascii_letters + digits + punctuation


@attack()
async def key_star(sample: Sample, ask: Ask, *, budget: float = 0.1, draws: int = 10) -> Text:
    """Flip random characters to any of an English keyboard, and keep what raises the loss.

    See `key` for what the paper leaves open. A black-box attacker does not know the victim's alphabet: the
    characters are those of ASCII that can be seen.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        budget: The share of characters that may be changed, at least one.
        draws: Flips drawn for each; those that make a word of the vocabulary are not asked.
    """
    steps = character_steps("key-star", sample.text, budget)
    return await random_flips(ask, sample.text, lambda _: _SYMBOLS, steps=steps, draws=draws)
