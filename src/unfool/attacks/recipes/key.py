"""Key (Belinkov and Bisk, 2018), as HotFlip's authors compare with it: slips of the finger."""

from __future__ import annotations

from functools import partial

from unfool.attacks import LATIN, attack
from unfool.attacks.parts.characters import character_steps
from unfool.attacks.parts.search import random_flips
from unfool.engine import Ask
from unfool.lexicon.typos import code_of, key_neighbours
from unfool.text import Sample, Text


@attack(letters=LATIN)
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
    beside = partial(key_neighbours, language=code_of(ask.language))
    return await random_flips(ask, sample.text, beside, steps=steps, draws=draws)
