"""Slips of people who type: what a word may become by a typo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from unfool.lexicon.typos import key_neighbours, natural_typos

Noise = Literal["swap", "middle", "full", "key", "natural"]


def slips_of(word: str, kind: Literal["natural", "keyboard"], language: str) -> Sequence[str]:
    """Return every typo of a word, in its case; none if it has no entry."""
    if kind == "natural":
        known = natural_typos(language)
        found = known.get(word) or known.get(word.lower(), ())
        return [slip[:1].upper() + slip[1:] if word[:1].isupper() else slip for slip in found if slip != word]
    return [
        word[:place] + key + word[place + 1 :]
        for place, letter in enumerate(word)
        for key in key_neighbours(letter, language)
    ]


def noisy(word: str, kind: Noise, language: str, draw: np.random.Generator) -> str:
    """Return a word with Belinkov and Bisk's noise: as it is where the noise cannot be.

    Args:
        word: The word.
        kind: ``swap``: two inner letters change places; ``middle``: the inner letters are shuffled; ``full``: all
            are; ``key``: a letter becomes that of a key beside it; ``natural``: a typo that people made.
        language: The language of the lists.
        draw: Draws.
    """
    if kind == "swap":
        if len(word) <= 3:
            return word
        place = 1 + int(draw.integers(len(word) - 3))
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    if kind == "middle":
        return word if len(word) <= 3 else word[0] + _shuffled(word[1:-1], draw) + word[-1]
    if kind == "full":
        return _shuffled(word, draw)
    slips = slips_of(word, "keyboard" if kind == "key" else "natural", language)
    return slips[int(draw.integers(len(slips)))] if slips else word


def _shuffled(letters: str, draw: np.random.Generator) -> str:
    return "".join(letters[place] for place in draw.permutation(len(letters)))
