"""A recurrent net that reads a text both ways."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from unfool.zoo._net import Net


class BiLSTM(Net):
    """One LSTM from the first word on and one from the last; the largest state of each unit is read out.

    Args:
        vectors: The first word vectors, [vocabulary, dimensions].
        classes: How many labels there are.
        frozen: Whether the word vectors stay as they are.
        units: Units a direction.
    """

    def __init__(self, vectors: Tensor, classes: int, *, frozen: bool = False, units: int = 150) -> None:
        super().__init__(vectors, 2 * units, classes, frozen=frozen, units=units)
        self.onward = nn.LSTM(vectors.shape[1], units, batch_first=True)
        self.backward_ = nn.LSTM(vectors.shape[1], units, batch_first=True)

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the states of both directions at each word."""
        # Each text is turned round in its own length: padding then follows the words in both directions, where
        # it cannot reach them. Packed sequences would do the same, but wait for the device to tell the lengths.
        steps = torch.arange(mask.shape[1], device=mask.device)
        mirror = (mask.sum(1, keepdim=True) - 1 - steps).where(mask, steps)[:, :, None]
        onward, _ = self.onward(vectors)
        turned, _ = self.backward_(vectors.gather(1, mirror.expand_as(vectors)))
        return [torch.cat([onward, turned.gather(1, mirror.expand_as(turned))], dim=2)]
