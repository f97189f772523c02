"""A stack of convolutions: each layer sees a little more of the text."""

from __future__ import annotations

from torch import Tensor, nn

from unfool.zoo.fronts import Front
from unfool.zoo.nets._net import Net, stacked

_WIDTH = 3


class CNN(Net):
    """Filters over three neighbouring units, one layer upon the other; the strongest answer of each is read out.

    Args:
        front: From tokens to the vectors the layers read.
        classes: How many labels there are.
        layers: How many layers there are.
        filters: Filters a layer.
        more: What every net takes.
    """

    def __init__(self, front: Front, classes: int, *, layers: int = 1, filters: int = 150, **more: float) -> None:
        super().__init__(front, filters, classes, layers=layers, filters=filters, **more)
        widths = [front.width, *[filters] * (layers - 1)]
        self.levels = nn.ModuleList(nn.Conv1d(width, filters, _WIDTH, padding=_WIDTH // 2) for width in widths)

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the filters' answers at each unit, layer by layer; beside a text stand zeros at every layer."""
        # Units stand last, as convolutions want them, until all is done: texts of letters take half the time so.
        real = mask[:, None].to(vectors.dtype)

        def answers(level: nn.Module, states: Tensor) -> Tensor:
            found: Tensor = level(states).relu() * real
            return found

        return [layer.transpose(1, 2) for layer in stacked(self.levels, vectors.transpose(1, 2) * real, answers)]

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the strongest answer of each filter: none is below the zeros beside a text."""
        return states.amax(1)
