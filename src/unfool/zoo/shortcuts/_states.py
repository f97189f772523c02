"""LSTMs: a changed word changes only the states behind it, in the direction of reading.

So a text is read from its first new token on, starting with the state its base has there. What a token says to the
gates by itself is known, and nothing is padded: texts stand in order of what is left to read, and each step is done
for those that have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from unfool.victims.tokens import Edits
from unfool.zoo.nets.recurrent import LSTM, BiLSTM, Pool
from unfool.zoo.shortcuts._products import Products

_ROWS_AT_ONCE = 512
_NUMBERS_AT_ONCE = 1 << 24
"""Numbers that the states of all bases together may take at a time."""


class _State(NamedTuple):
    """Where readers stand: layer by layer what an LSTM says and remembers, and what is read out so far."""

    said: list[Tensor]
    kept: list[Tensor]
    pooled: Tensor

    def tensors(self) -> list[Tensor]:
        return [*self.said, *self.kept, self.pooled]


class OneWay:
    """What is read out of layers of LSTMs that read from the first token on.

    Args:
        levels: The layers; from the second on they add what they read.
        vectors: The tokens' vectors.
        pool: What is read out of the last layer's states.
        dtype: In what states and weights are multiplied; all else is in float32.
    """

    def __init__(self, levels: Sequence[nn.LSTM], vectors: Tensor, pool: Pool, dtype: torch.dtype) -> None:
        self._pool, self.units = pool, levels[0].hidden_size
        gates = [_Gates.of(level) for level in levels]
        self._first, self._first_bias = Products(vectors, gates[0].read[None]), gates[0].bias
        self._gates = [one.multiplied_in(dtype) for one in gates]

    def pooled(self, edits: Edits) -> Tensor:
        """Return what is read out, [texts, units]."""
        found = torch.empty(len(edits.base), self.units)
        # A base's states are kept step by step, so those of long texts are not all made at once.
        for group in edits.groups(_NUMBERS_AT_ONCE // (self.units * (2 * len(self._gates) + 1))):
            found[torch.from_numpy(group)] = self._pooled(edits.take(group))
        return found

    def _pooled(self, edits: Edits) -> Tensor:
        history = self._history(edits)
        left = edits.counts + edits.behind
        order = np.argsort(-left, kind="stable")
        found = torch.empty(len(edits.base), self.units)
        for start in range(0, len(order), _ROWS_AT_ONCE):
            rows = order[start : start + _ROWS_AT_ONCE]
            begun = torch.from_numpy(edits.base[rows]), torch.from_numpy(edits.first[rows])
            state = _State(*(self._layers([step[begun] for step in history])))
            self._read(state, self._tokens_left(edits, rows, left[rows]), left[rows])
            found[torch.from_numpy(rows)] = state.pooled
        if self._pool == "mean":
            found /= torch.from_numpy(edits.text_lengths)[:, None]
        return found

    def _layers(self, tensors: list[Tensor]) -> tuple[list[Tensor], list[Tensor], Tensor]:
        count = len(self._gates)
        return tensors[:count], tensors[count : 2 * count], tensors[-1]

    def _history(self, edits: Edits) -> list[Tensor]:
        """Return the state before each token of each base and behind the last, as [bases, tokens + 1, units]."""
        order = np.argsort(-edits.lengths, kind="stable")
        lengths = edits.lengths[order]
        at = np.arange(lengths[0])[:, None]
        places = np.where(at < lengths, edits.starts[order] + at, edits.starts[order])
        ids = torch.from_numpy(edits.tokens[places].astype(np.int64))
        count = 2 * len(self._gates) + 1
        begun = [torch.zeros(len(order), self.units) for _ in range(count)]
        if self._pool == "max":
            begun[-1].fill_(torch.finfo(torch.float32).min)
        history = [torch.empty(len(order), len(ids) + 1, self.units) for _ in range(count)]
        back = torch.from_numpy(order)
        self._read(_State(*self._layers(begun)), ids, lengths, (history, back))
        return history

    def _tokens_left(self, edits: Edits, rows: NDArray[np.intp], left: NDArray[np.int64]) -> Tensor:
        """Return what each text has from its change on, [steps, texts]."""
        at = np.arange(left[0])[:, None]
        counts = edits.counts[rows]
        is_new = at < counts
        base = edits.starts[edits.base[rows]] + edits.last[rows]
        old = np.where(is_new | (at >= left), 0, base + at - counts)
        new = np.where(is_new, edits.new_starts[rows] + at, 0)
        fresh = edits.new[new] if len(edits.new) else new
        return torch.from_numpy(np.where(is_new, fresh, edits.tokens[old]).astype(np.int64))

    def _read(
        self,
        state: _State,
        ids: Tensor,
        left: NDArray[np.int64],
        history: tuple[list[Tensor], Tensor] | None = None,
    ) -> None:
        """Read on, step by step, those that have something left; the longest stand first."""
        self._first.learn(ids)
        active = np.searchsorted(-left, -np.arange(len(ids)), side="left").tolist()
        if history:
            _note(state, history, 0, len(left))
        for step, count in enumerate(active):
            below = None
            for gates, said, kept in zip(self._gates, state.said, state.kept, strict=True):
                if below is None:
                    sums = self._first.of(ids[step, :count]).add_(self._first_bias)
                else:
                    sums = gates.bias.expand(count, -1).clone()
                    _add_product(sums, below, gates.read)
                gates.step(sums, said[:count], kept[:count])
                below = said[:count] if below is None else below + said[:count]
            assert below is not None
            self._pool_in(state.pooled[:count], below)
            if history:
                _note(state, history, step + 1, count)

    def _pool_in(self, pooled: Tensor, states: Tensor) -> None:
        if self._pool == "max":
            torch.maximum(pooled, states, out=pooled)
        elif self._pool == "mean":
            pooled += states
        else:
            pooled.copy_(states)


class _Gates(NamedTuple):
    """The weights of one LSTM, the three gates first, then what may be remembered."""

    read: Tensor
    recurrent: Tensor
    bias: Tensor

    @classmethod
    def of(cls, level: nn.LSTM) -> _Gates:
        def in_order(weight: Tensor) -> Tensor:
            enter, forget, new, out = weight.detach().chunk(4)
            return torch.cat([enter, forget, out, 2 * new])

        read, recurrent, *biases = (in_order(weight) for weight in level.parameters())
        return cls(read, recurrent, biases[0] + biases[1])

    def multiplied_in(self, dtype: torch.dtype) -> _Gates:
        """Return the same with weights of another precision."""
        return self._replace(read=self.read.to(dtype), recurrent=self.recurrent.to(dtype))

    def step(self, sums: Tensor, said: Tensor, kept: Tensor) -> None:
        """Read one token, of which ``sums`` tells what it says to the gates, and change the state."""
        _add_product(sums, said, self.recurrent)
        # The tanh of x is twice the sigmoid of 2x, less one; it takes a CPU ten times as long.
        enter, forget, out, new = sums.sigmoid_().chunk(4, dim=1)
        kept.mul_(forget).addcmul_(enter, new, value=2).sub_(enter)
        torch.mul(out, (2 * kept).sigmoid_().mul_(2).sub_(1), out=said)


def _add_product(sums: Tensor, states: Tensor, weights: Tensor) -> None:
    if weights.dtype == sums.dtype:
        sums.addmm_(states, weights.T)
    else:
        sums += nn.functional.linear(states.to(weights.dtype), weights)


def _note(state: _State, history: tuple[list[Tensor], Tensor], step: int, count: int) -> None:
    tensors, back = history
    for kept, now in zip(tensors, state.tensors(), strict=True):
        kept[back[:count], step] = now[:count]


class Onward:
    """Answers of an LSTM about edits of bases."""

    def __init__(self, net: LSTM, dtype: torch.dtype) -> None:
        self.is_exact = dtype == torch.float32
        levels = [level for level in net.levels if isinstance(level, nn.LSTM)]
        self._way = OneWay(levels, net.front.table.weight.detach(), net.pool, dtype)
        self._read_out = net.read_out

    def logits(self, edits: Edits) -> Tensor:
        """Return the raw outputs, [texts, classes]."""
        outputs: Tensor = self._read_out(self._way.pooled(edits))
        return outputs


class BothWays:
    """Answers of a bidirectional LSTM of one layer about edits of bases."""

    def __init__(self, net: BiLSTM, dtype: torch.dtype) -> None:
        self.is_exact = dtype == torch.float32
        (level,) = net.levels
        vectors = net.front.table.weight.detach()
        self._ways = [OneWay([one], vectors, "max", dtype) for one in (level.onward, level.backward_)]  # type: ignore[list-item]
        self._read_out = net.read_out

    def logits(self, edits: Edits) -> Tensor:
        """Return the raw outputs, [texts, classes]."""
        onward, back = self._ways
        found = torch.cat([onward.pooled(edits), back.pooled(edits.mirrored())], dim=1)
        outputs: Tensor = self._read_out(found)
        return outputs
