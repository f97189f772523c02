"""A recurrent net that reads a text from its first word on."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from unfool.zoo.fronts import Front, Read
from unfool.zoo.nets._net import Net, stacked
from unfool.zoo.nets._recurrent import last_state

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
