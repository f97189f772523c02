"""Recurrent nets: LSTMs that read a text from its first word on, or both ways."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from unfool.zoo.fronts import Front, Read
from unfool.zoo.nets.net import Net, stacked


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


_STRIDE = 16
"""A CPU's kernels are made anew for every length: so there are fewer of them."""


class LSTM(Net):
    """Layers of LSTMs; the largest state of each unit, or the last state, is read out.

    Args:
        front: From tokens to the vectors the layers read.
        classes: How many labels there are.
        layers: How many layers there are.
        units: Units a layer.
        pool: ``max`` or ``last``.
        more: What every net takes.
    """

    def __init__(
        self,
        front: Front,
        classes: int,
        *,
        layers: int = 1,
        units: int = 150,
        pool: Literal["max", "last"] = "max",
        **more: float,
    ) -> None:
        super().__init__(front, units, classes, layers=layers, units=units, pool=pool, **more)
        widths = [front.width, *[units] * (layers - 1)]
        self.levels = nn.ModuleList(nn.LSTM(width, units, batch_first=True) for width in widths)
        self._pool = pool

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the states at each unit, layer by layer."""
        return stacked(self.levels, vectors, lambda level, states: level(states)[0])

    def forward_since(self, vectors: Tensor, mask: Tensor, first: int) -> Tensor:
        """Return logits from token vectors, without the way back to those before ``first``, or a few more."""
        begin = first - first % _STRIDE

        def step(level: nn.Module, below: Tensor) -> Tensor:
            with torch.no_grad():
                begun, memory = level(below[:, :begin])
            states: Tensor = torch.cat([begun, level(below[:, begin:], memory)[0]], dim=1)
            return states

        if not 0 < begin < vectors.shape[1]:
            return self.forward_read(Read(vectors, mask))
        states = stacked(self.levels, self.dropout(vectors), step)
        logits: Tensor = self.read_out(self.dropout(self.pooled(states[-1], mask)))
        return logits

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the largest or the last state."""
        return last_state(states, mask) if self._pool == "last" else super().pooled(states, mask)


class BiLSTM(Net):
    """Layers of LSTMs in both directions; the largest state of each unit is read out.

    Args:
        front: From tokens to the vectors the layers read.
        classes: How many labels there are.
        layers: How many layers there are.
        units: Units a direction.
        more: What every net takes.
    """

    def __init__(self, front: Front, classes: int, *, layers: int = 1, units: int = 150, **more: float) -> None:
        super().__init__(front, 2 * units, classes, layers=layers, units=units, **more)
        widths = [front.width, *[2 * units] * (layers - 1)]
        self.levels = nn.ModuleList(BothWays(width, units) for width in widths)

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the states of both directions at each unit, layer by layer."""
        return stacked(self.levels, vectors, lambda level, states: level(states, mask))
