"""Convolutional nets: a stack of layers, and the one of Kim (2014)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple, cast

import torch
from torch import Tensor, nn

from unfool.zoo.fronts import Front, stacked
from unfool.zoo.nets.net import Net

_WIDTH = 3


class Filters(NamedTuple):
    """The first layer of filters: what each makes of the units in a window, place by place, is summed."""

    weights: Tensor
    """[places, filters, width]; narrower filters are zero at the places they do not see."""
    before: int
    """How many of the places stand before the unit where the filter answers."""
    bias: Tensor


class CNN(Net):
    """Layers of filters over three neighbouring units; the strongest answer of each is read out."""

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

    def first_filters(self) -> Filters:
        """Return the weights of the first layer."""
        weight, bias = (cast(Tensor, part).detach() for part in (self.levels[0].weight, self.levels[0].bias))
        return Filters(weight.permute(2, 0, 1), _WIDTH // 2, bias)


class KimCNN(Net):
    """Filters over 3, 4 and 5 words side by side, the strongest answer of each read out.

    Zero vectors stand before and after a text, so that each filter answers once a word, however short the text.
    There are as many filters of each width.
    """

    def __init__(
        self,
        front: Front,
        classes: int,
        *,
        widths: Sequence[int] = (3, 4, 5),
        filters: int = 100,
        **more: float,
    ) -> None:
        states = len(widths) * filters
        super().__init__(front, states, classes, widths=list(widths), filters=filters, **more)
        self._widths, self._filters = widths, filters
        # What each place of each filter makes of a word is one product for all of them; a filter's answer is then
        # a sum over neighbouring words. On a CPU this is twice as fast as convolutions of the three widths.
        self.places = nn.Linear(front.width, sum(widths) * filters, bias=False)
        self.bias = nn.Parameter(torch.zeros(states))

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the filters' answers at each word."""
        before, after = (max(self._widths) - 1) // 2, max(self._widths) // 2
        words = nn.functional.pad(vectors.masked_fill(~mask[:, :, None], 0), (0, 0, before, after))
        places = iter(self.places(words).split(self._filters, dim=2))
        answers = []
        for width in self._widths:
            first = before - (width - 1) // 2
            seen = (next(places)[:, first + step :][:, : mask.shape[1]] for step in range(width))
            answers.append(reduce(torch.add, seen))
        return [(torch.cat(answers, dim=2) + self.bias).relu()]

    def first_filters(self) -> Filters:
        """Return the weights of all filters."""
        widest = max(self._widths)
        before = (widest - 1) // 2
        places = iter(torch.split(self.places.weight.detach(), self._filters))
        weights = torch.zeros(widest, len(self.bias), self.front.width)
        for number, width in enumerate(self._widths):
            own = slice(number * self._filters, (number + 1) * self._filters)
            for place in range(width):
                weights[before - (width - 1) // 2 + place, own] = next(places)
        return Filters(weights, before, self.bias.detach())
