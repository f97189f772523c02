"""Words read by their characters: filters, the strongest answers, and highway layers (Kim et al., 2016)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from unfool.zoo.encoders import FIRST_SYMBOL
from unfool.zoo.fronts._front import Front, Read
from unfool.zoo.fronts._words_of_characters import gather_words


class CharCNN(Front):
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
        layers = [nn.Linear(filters, 2 * filters) for _ in range(highways)]
        for layer in layers:
            nn.init.constant_(layer.bias[filters:], -2.0)  # at first a highway mostly carries its input
        self.highways = nn.ModuleList(layers)

    def read(self, vectors: Tensor, ids: Tensor, mask: Tensor) -> Read:
        """Return a vector a word."""
        laid = gather_words(vectors, ids, mask)
        texts, words, characters, dimensions = laid.vectors.shape
        one = laid.vectors.reshape(texts * words, characters, dimensions).transpose(1, 2)
        # Zeros behind a word: one filter answer for each character, however short the word.
        answers = self.filters(nn.functional.pad(one, (0, self._kernel - 1))).tanh()
        real = laid.characters.reshape(texts * words, 1, characters)
        strongest = answers.masked_fill(~real, -1.0).amax(2)
        for layer in self.highways:
            new, gate = layer(strongest).chunk(2, dim=1)
            open_share = torch.sigmoid(gate)
            strongest = open_share * new.relu() + (1 - open_share) * strongest
        return Read(strongest.reshape(texts, words, -1), laid.words, laid.unit_of_token)
