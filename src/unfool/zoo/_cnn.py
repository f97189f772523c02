"""A convolutional net over words, after Kim (2014)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from unfool.zoo._net import Net


class CNN(Net):
    """Filters over 3, 4 and 5 words side by side, the strongest answer of each read out.

    Zero vectors stand before and after a text, so that each filter answers once a word, however short the text.

    Args:
        vectors: The first word vectors, [vocabulary, dimensions].
        classes: How many labels there are.
        frozen: Whether the word vectors stay as they are.
        widths: How many words a filter sees.
        filters: How many filters of each width there are.
    """

    def __init__(
        self,
        vectors: Tensor,
        classes: int,
        *,
        frozen: bool = False,
        widths: Sequence[int] = (3, 4, 5),
        filters: int = 100,
    ) -> None:
        super().__init__(vectors, len(widths) * filters, classes, frozen=frozen, widths=widths, filters=filters)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(vectors.shape[1], filters, width, padding="same") for width in widths
        )

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the filters' answers at each word."""
        words = vectors.masked_fill(~mask[:, :, None], 0).transpose(1, 2)
        answers = torch.cat([convolution(words) for convolution in self.convolutions], dim=1)
        return [answers.relu().transpose(1, 2)]
