"""Key (Belinkov and Bisk, 2018), as HotFlip's authors compare with it: slips of the finger."""

from __future__ import annotations

from functools import cache

from unfool.attacks import attack
from unfool.attacks.parts.characters import character_steps
from unfool.attacks.parts.search import random_flips
from unfool.engine import Ask
from unfool.text import Sample, Text

_ROWS_OF_KEYS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")


@attack()
async def key(sample: Sample, ask: Ask, *, budget: float = 0.1, draws: int = 10) -> Text:
    """Flip random characters to neighbours on the keyboard, and keep what raises the loss.

    The paper calls its black-box adversary greedy and says no more. Here, as often as characters may be changed,
    some flips are drawn and the best of them is kept if it helps; with ten draws it asks as much as `hotflip`.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        budget: The share of characters that may be changed, at least one.
        draws: Flips drawn for each; those that make a word of the vocabulary are not asked.
    """
    steps = character_steps("key", sample.text, budget)
    return await random_flips(ask, sample.text, key_neighbours, steps=steps, draws=draws)


@cache
def key_neighbours(character: str) -> str:
    """Return the characters of the keys around one, in its case; empty where it is no letter or digit there.

    Each row of keys lies half a key to the right of the one above it.
    """
    for number, row in enumerate(_ROWS_OF_KEYS):
        at = row.find(character.lower())
        if at >= 0 and character:
            beside = row[max(0, at - 1) : at] + row[at + 1 : at + 2]
            above = _ROWS_OF_KEYS[number - 1][at : at + 2] if number else ""
            below = _ROWS_OF_KEYS[number + 1][max(0, at - 1) : at + 1] if number + 1 < len(_ROWS_OF_KEYS) else ""
            found = beside + above + below
            return found.upper() if character.isupper() else found
    return ""
