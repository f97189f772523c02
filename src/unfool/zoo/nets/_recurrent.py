"""Recurrent layers that padding cannot reach."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class BothWays(nn.Module):
    """One LSTM from the first unit on and one from the last, side by side."""

    def __init__(self, width: int, units: int) -> None:
        super().__init__()
        self.onward = nn.LSTM(width, units, batch_first=True)
        self.backward_ = nn.LSTM(width, units, batch_first=True)

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return the states of both directions at each unit."""
        # Each text is turned round in its own length: padding then follows the words in both directions, where
        # it cannot reach them. Packed sequences would do the same, but wait for the device to tell the lengths.
        steps = torch.arange(mask.shape[1], device=mask.device)
        mirror = (mask.sum(1, keepdim=True) - 1 - steps).where(mask, steps)[:, :, None]
        onward, _ = self.onward(vectors)
        turned, _ = self.backward_(vectors.gather(1, mirror.expand_as(vectors)))
        return torch.cat([onward, turned.gather(1, mirror.expand_as(turned))], dim=2)


def side_by_side(net: nn.Module) -> None:
    """Lay the weights of recurrent layers side by side, as cuDNN wants them: else it copies them at every call.

    torch does so itself when weights move or change their type, except for bfloat16: the list it goes by lacks that
    type, though cuDNN takes it. Weights that are not on a GPU stay as they are.
    """
    types = torch.backends.cudnn.CUDNN_TENSOR_DTYPES
    lacking = {torch.bfloat16} - types
    types.update(lacking)
    try:
        for layer in net.modules():
            if isinstance(layer, nn.RNNBase):
                layer.flatten_parameters()
    finally:
        types.difference_update(lacking)


def last_state(states: Tensor, mask: Tensor) -> Tensor:
    """Return the state at the last real unit of each text; zeros where there is none."""
    last = (mask.sum(1) - 1).clamp(min=0)[:, None, None].expand(-1, 1, states.shape[2])
    return torch.where(mask.any(1, keepdim=True), states.gather(1, last)[:, 0], 0)
