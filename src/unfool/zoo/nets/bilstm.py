"""A recurrent net that reads a text both ways."""

from __future__ import annotations

from torch import Tensor, nn

from unfool.zoo.fronts import Front
from unfool.zoo.nets._net import Net, stacked
from unfool.zoo.nets._recurrent import BothWays


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
