"""How a net that reads characters spells a text: which token stands for which character of which word."""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unfool.text import Text


class Spelling(NamedTuple):
    """A text's tokens, one row each, as in `Gradients`.

    Behind a word that could take one more character stands a token of padding, which moves no answer: gradients
    there tell what a character in that place would do.
    """

    ids: NDArray[np.int64]
    words: NDArray[np.int64]
    """The position of the word a token is part of; -1 for none."""
    places: NDArray[np.int64]
    """Which character of that word it is, or would be; -1 for marks."""
    runs: NDArray[np.int64]
    """Tokens of one run move up or back when one of them is taken out or put in; others stay where they are."""
    second: int | None
    """Where a pair's second text starts."""


class CharacterReader(Protocol):
    """A net's alphabet, and how it spells texts with it."""

    pad: int
    """The token that stands for no character."""

    @property
    def letters(self) -> str:
        """The characters that may stand inside a word without cutting it in two."""
        ...

    @property
    def letter_ids(self) -> NDArray[np.int64]:
        """The token of each letter."""
        ...

    def spell(self, text: Text) -> Spelling:
        """Return the tokens of a text, with room behind its words."""
        ...


@runtime_checkable
class Spells(Protocol):
    """Reads texts character by character; its gradients stand row by row beside the spelling."""

    @property
    def characters(self) -> CharacterReader:
        """The alphabet and the spelling."""
        ...
