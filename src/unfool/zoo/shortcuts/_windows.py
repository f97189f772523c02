"""Convolutional nets: a changed word touches the few windows around it, and the others' maxima are known.

A layer's answers at a unit hang on the units right beside it, so a change of one stretch reaches a little farther
in each layer. What lies outside is the base's; all that is read out of it is its largest answers, which are kept
for every prefix and every suffix of the base.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from unfool.victims.tokens import Edits
from unfool.zoo.nets.cnn import CNN, KimCNN
from unfool.zoo.shortcuts._products import Products

_ROWS_AT_ONCE = 256
"""Rows whose states stay in a core's own memory."""
_BASE_TOKENS_AT_ONCE = 16_384


class _Bases(NamedTuple):
    """What the net makes of the bases, with a margin on both sides of each."""

    ids: Tensor
    """[bases, units]"""
    states: list[Tensor]
    """Layer by layer, [bases, units, filters]; zeros are beside a text."""
    before: Tensor
    """[units + 1, bases, filters]: the largest answers of the last layer before each unit, the margin left out."""
    since: Tensor
    """The same from each unit on."""


class Windows:
    """Answers of a convolutional net about edits of bases."""

    def __init__(self, net: CNN | KimCNN, dtype: torch.dtype) -> None:
        first = net.first_filters()
        self._products = Products(net.front.table.weight.detach(), first.weights)
        self._before, self._bias = first.before, first.bias
        self._reach = len(first.weights) - 1
        """How many units beside its own a filter sees."""
        levels = list(net.levels)[1:] if isinstance(net, CNN) else []
        self._deeper = [_Layer.of(level, dtype) for level in levels]
        self.is_exact = not levels or dtype == torch.float32
        self._read_out = net.read_out
        self._margin = self._reach + len(self._deeper) + 1

    def logits(self, edits: Edits) -> Tensor:
        """Return the raw outputs, [texts, classes]."""
        outputs = torch.empty(len(edits.base), self._read_out.out_features)
        for group in edits.groups(_BASE_TOKENS_AT_ONCE):
            outputs[torch.from_numpy(group)] = self._outputs(edits.take(group))
        return outputs

    def _outputs(self, edits: Edits) -> Tensor:
        bases = self._read(edits)
        outputs = torch.empty(len(edits.base), self._read_out.out_features)
        for count in np.unique(edits.counts).tolist():
            alike = np.flatnonzero(edits.counts == count)
            for start in range(0, len(alike), _ROWS_AT_ONCE):
                rows = alike[start : start + _ROWS_AT_ONCE]
                outputs[torch.from_numpy(rows)] = self._read_out(self._strongest(bases, edits, rows, count))
        return outputs

    def _read(self, edits: Edits) -> _Bases:
        width = int(edits.lengths.max())
        at = np.arange(-self._margin, width + self._margin)
        inside = (at >= 0) & (at < edits.lengths[:, None])
        tokens = edits.tokens[np.where(inside, edits.starts[:, None] + at, 0)]
        ids = torch.from_numpy(np.where(inside, tokens, self._products.nothing).astype(np.int64))
        real = torch.from_numpy(inside)[:, :, None]
        beside = (self._before, self._reach - self._before)
        sums = self._sums(nn.functional.pad(ids, beside, value=self._products.nothing))
        states = [sums.relu_().mul_(real)]
        for level in self._deeper:
            said = level.answers(nn.functional.pad(states[-1], (0, 0, 1, 1)))
            states.append(said.mul_(real).add_(states[-1]))
        last = states[-1][:, self._margin : self._margin + width]
        return _Bases(ids, states, _largest_before(last), _largest_before(last.flip(1)).flip(0))

    def _strongest(self, bases: _Bases, edits: Edits, rows: NDArray[np.intp], count: int) -> Tensor:
        """Return the strongest answer of each filter for texts that have so many new tokens."""
        base, first, last = (torch.from_numpy(column[rows]) for column in (edits.base, edits.first, edits.last))
        lengths = torch.from_numpy(edits.text_lengths[rows])
        at = edits.new_starts[rows][:, None] + np.arange(count)
        new = torch.from_numpy(edits.new[at].astype(np.int64))
        edges = (first + self._margin - self._reach, last + self._margin)
        beside = [_gathered(bases.ids, base, edge, self._reach) for edge in edges]
        begin, behind = first - (self._reach - self._before), last + self._before
        states = self._sums(torch.cat([beside[0], new, beside[1]], dim=1)).relu_()
        states *= _inside(begin, states.shape[1], lengths)
        for level, below in zip(self._deeper, bases.states, strict=False):
            begin, behind = begin - 1, behind + 1
            # Two of the base's states stand on either side of the new ones, so that one more is new on each.
            sides = [_gathered(below, base, edge + self._margin - 1, 2) for edge in (begin, behind)]
            seen = torch.cat([sides[0], states, sides[1]], dim=1)
            found = level.answers(seen)
            states = found.mul_(_inside(begin, found.shape[1], lengths)).add_(seen[:, 1:-1])
        width = len(bases.before) - 1
        before, since = bases.before[begin.clamp(0, width), base], bases.since[behind.clamp(0, width), base]
        return torch.maximum(torch.maximum(before, since), states.amax(1))

    def _sums(self, ids: Tensor) -> Tensor:
        """Return the first layer's answers, not yet cut at zero, at all units that have so many on either side."""
        windows = ids.unfold(1, self._reach + 1, 1)
        sums = self._products.summed(windows.flatten(0, 1))
        return sums.view(*windows.shape[:2], -1).add_(self._bias)


class _Layer(NamedTuple):
    """A layer upon the first: its weights, [filters, units · width], and bias."""

    weights: Tensor
    bias: Tensor
    width: int

    @classmethod
    def of(cls, level: nn.Module, dtype: torch.dtype) -> _Layer:
        weight, bias = (getattr(level, name).detach().to(dtype) for name in ("weight", "bias"))
        return cls(weight.flatten(1), bias, weight.shape[2])

    def answers(self, seen: Tensor) -> Tensor:
        """Return the answers at all units but the first and the last, which are only seen."""
        windows = seen.to(self.weights.dtype).unfold(1, self.width, 1).flatten(2)
        return nn.functional.linear(windows, self.weights, self.bias).float().relu_()


def _inside(begin: Tensor, count: int, lengths: Tensor) -> Tensor:
    """Return whether so many places, from ``begin`` on, lie inside their text."""
    at = begin[:, None] + torch.arange(count)
    return ((at >= 0) & (at < lengths[:, None]))[:, :, None]


def _gathered(states: Tensor, base: Tensor, begin: Tensor, count: int) -> Tensor:
    return states[base[:, None], begin[:, None] + torch.arange(count)]


def _largest_before(states: Tensor) -> Tensor:
    """Return the largest answers before each unit, and before the end; none is below the zeros beside a text."""
    largest = states.new_zeros(states.shape[1] + 1, len(states), states.shape[2])
    for unit in range(states.shape[1]):
        torch.maximum(largest[unit], states[:, unit], out=largest[unit + 1])
    return largest
