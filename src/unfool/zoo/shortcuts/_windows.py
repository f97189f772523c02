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


class _Read(NamedTuple):
    """What the net makes of the bases."""

    ids: Tensor
    """[bases, tokens], with a margin of no tokens on both sides."""
    states: list[Tensor]
    """Layer by layer, [bases, units, filters], with a margin of zeros on both sides."""
    before: Tensor
    """[bases, units + 1, filters]: the largest answers of the last layer before each unit."""
    since: Tensor
    """The same from each unit on."""


class Windows:
    """Answers of a convolutional net about edits of bases."""

    def __init__(self, net: CNN | KimCNN) -> None:
        first = net.neighbourhood()
        self._adds = Products(net.front.table.weight.detach(), first.weights)
        self._ahead, self._bias = first.ahead, first.bias
        self._reach = first.weights.shape[0] - 1
        """How many answers beside its own a unit has a share in."""
        self._deeper = list(net.levels)[1:] if isinstance(net, CNN) else []
        self._read_out = net.read_out
        self._margin = self._reach + len(self._deeper) + 1

    def logits(self, edits: Edits) -> Tensor:
        """Return the raw outputs, [texts, classes]."""
        read = self._read_bases(edits)
        outputs = torch.empty(len(edits.base), self._read_out.out_features)
        for count in np.unique(edits.counts).tolist():
            alike = np.flatnonzero(edits.counts == count)
            for start in range(0, len(alike), _ROWS_AT_ONCE):
                rows = alike[start : start + _ROWS_AT_ONCE]
                outputs[torch.from_numpy(rows)] = self._read_out(self._strongest(read, edits, rows, count))
        return outputs

    def _read_bases(self, edits: Edits) -> _Read:
        width = int(edits.lengths.max())
        at = np.arange(-self._margin, width + self._margin)
        inside = (at >= 0) & (at < edits.lengths[:, None])
        where = np.where(inside, edits.starts[:, None] + at, 0)
        ids = torch.from_numpy(np.where(inside, edits.tokens[where], self._adds.nothing).astype(np.int64))
        real = torch.from_numpy(inside)[:, :, None]
        first = self._spread(self._adds.of(ids))[:, self._ahead : self._ahead + ids.shape[1]]
        states = [(first + self._bias).relu_() * real]
        for level in self._deeper:
            states.append(_answers(level, nn.functional.pad(states[-1], (0, 0, 1, 1))) * real + states[-1])
        last = states[-1][:, self._margin : self._margin + width].numpy()
        return _Read(ids, states, _largest_before(last), _largest_before(last[:, ::-1]).flip(1))

    def _strongest(self, read: _Read, edits: Edits, rows: NDArray[np.intp], count: int) -> Tensor:
        """Return the strongest answer of each filter for texts that have so many new tokens."""
        base, first, last = (
            torch.from_numpy(column[rows]) for column in (edits.base, edits.first, edits.last)
        )
        lengths = torch.from_numpy(edits.text_lengths[rows])
        begin = first - self._ahead
        states = self._first_layer(read, edits, rows, count) + self._bias
        states = states.relu_() * _inside(begin, states.shape[1], lengths)
        behind = last + self._reach - self._ahead
        for level, below in zip(self._deeper, read.states, strict=False):
            begin, behind = begin - 1, behind + 1
            # Two of the base's states stand on either side of the new ones, so that one more is new on each.
            sides = [_gathered(below, base, edge + self._margin, 2) for edge in (begin - 1, behind - 1)]
            seen = torch.cat([sides[0], states, sides[1]], dim=1)
            found = _answers(level, seen)
            states = found * _inside(begin, found.shape[1], lengths) + seen[:, 1:-1]
        width = read.before.shape[1] - 1
        outside = torch.maximum(
            read.before[base, begin.clamp(0, width)], read.since[base, behind.clamp(0, width)]
        )
        return torch.maximum(outside, states.amax(1)) if states.shape[1] else outside

    def _first_layer(self, read: _Read, edits: Edits, rows: NDArray[np.intp], count: int) -> Tensor:
        """Return the sums behind the new answers: what the new tokens add, and the words that stay beside them.

        The latter are the same for all that is put into one place.
        """
        marks = np.stack([edits.base[rows], edits.first[rows], edits.last[rows]])
        (base, first, last), which = np.unique(marks, axis=1, return_inverse=True)
        sides = [
            _gathered(read.ids, *map(torch.from_numpy, (base, edge)), self._reach)
            for edge in (first + self._margin - self._reach, last + self._margin)
        ]
        gap = torch.full((len(base), count), self._adds.nothing)
        beside = self._spread(self._adds.of(torch.cat([sides[0], gap, sides[1]], dim=1)))
        beside = beside[:, self._reach : 2 * self._reach + count]
        at = edits.new_starts[rows][:, None] + np.arange(count)
        new = self._spread(self._adds.of(torch.from_numpy(edits.new[at].astype(np.int64))))
        return new.add_(beside.index_select(0, torch.from_numpy(which.ravel())))

    def _spread(self, added: Tensor) -> Tensor:
        """Add up what units say to the answers around them.

        From [texts, units, answers around, filters] to [texts, units + reach, filters]; the first answer is that of
        the unit which stands ``ahead`` before the first.
        """
        count = added.shape[1]
        if count == 1:
            return added[:, 0]
        sums = added.new_zeros(len(added), count + self._reach, added.shape[3])
        for offset in range(self._reach + 1):
            sums[:, offset : offset + count] += added[:, :, offset]
        return sums


def _answers(level: nn.Module, seen: Tensor) -> Tensor:
    """Return a layer's answers at all units but the first and the last, which it only sees."""
    found: Tensor = nn.functional.conv1d(seen.transpose(1, 2), level.weight, level.bias)  # type: ignore[arg-type]
    return found.relu_().transpose(1, 2)


def _inside(begin: Tensor, count: int, lengths: Tensor) -> Tensor:
    """Return whether so many places, from ``begin`` on, lie inside their text."""
    at = begin[:, None] + torch.arange(count)
    return ((at >= 0) & (at < lengths[:, None]))[:, :, None]


def _gathered(states: Tensor, base: Tensor, begin: Tensor, count: int) -> Tensor:
    return states[base[:, None], begin[:, None] + torch.arange(count)]


def _largest_before(states: NDArray[np.float32]) -> Tensor:
    """Return the largest answers before each unit, and before the end; none is below the zeros beside a text."""
    padded = np.pad(states, ((0, 0), (1, 0), (0, 0)))
    return torch.from_numpy(np.maximum.accumulate(padded, axis=1))
