"""Words read by their characters: filters, the strongest answers, and highway layers (Kim et al., 2016)."""

from __future__ import annotations

from torch import Tensor, nn

from unfool.zoo.encoders import FIRST_SYMBOL
from unfool.zoo.fronts.spelt import Highways, SpeltFront


class CharCNN(SpeltFront):
    """A word's vector is made of its characters, so that every word, known or not, has one.

    Args:
        rows: How many token ids there are.
        dimensions: Of a character's vector.
        frozen: Whether the characters' vectors stay as they are.
        kernel: How many characters a filter sees.
        filters: How many filters there are.
        highways: How many highway layers follow.
    """

    def __init__(
        self,
        rows: int,
        dimensions: int = 25,
        *,
        frozen: bool = False,
        kernel: int = 6,
        filters: int = 1000,
        highways: int = 2,
    ) -> None:
        super().__init__(
            rows, dimensions, first=FIRST_SYMBOL, frozen=frozen, kernel=kernel, filters=filters, highways=highways
        )
        self.width, self._kernel = filters, kernel
        self.filters = nn.Conv1d(dimensions, filters, kernel)
        self.highways = Highways(filters, highways)

    def spell(self, characters: Tensor, real: Tensor) -> Tensor:
        """Return the vectors of words from those of their characters."""
        # Zeros behind a word: one filter answer for each character, however short the word.
        padded = nn.functional.pad(characters.transpose(1, 2), (0, self._kernel - 1))
        answers = self.filters(padded).tanh()
        strongest: Tensor = answers.masked_fill(~real[:, None], -1.0).amax(2)
        words: Tensor = self.highways(strongest)
        return words
