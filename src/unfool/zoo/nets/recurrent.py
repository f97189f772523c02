"""Recurrent nets: LSTMs that read a text from its first word on, or both ways, or weigh its words."""

from __future__ import annotations

from typing import Any, Literal, cast

import torch
from torch import Tensor, nn

from unfool.zoo.fronts import Front, Read, stacked, turning
from unfool.zoo.nets.net import Net


class BothWays(nn.Module):
    """One LSTM from the first unit on and one from the last, side by side."""

    def __init__(self, width: int, units: int) -> None:
        super().__init__()
        self.onward = nn.LSTM(width, units, batch_first=True)
        self.backward_ = nn.LSTM(width, units, batch_first=True)

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return the states of both directions at each unit."""
        turned = turning(mask)
        onward, _ = self.onward(vectors)
        back, _ = self.backward_(turned(vectors))
        return torch.cat([onward, turned(back)], dim=2)


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


def mean_state(states: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of the states over the real units of each text; zeros where there is none."""
    return states.masked_fill(~mask[:, :, None], 0).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)


Pool = Literal["max", "mean", "last", "step"]
_OPEN = 5.0
"""A gate keeps 0.993 of the state a step."""
_STRIDE = 16
"""A CPU's kernels are made anew for every length: so there are fewer of them."""


class LSTM(Net):
    """Layers of LSTMs; the largest or the mean state of each unit, the last state, or that at a step is read out.

    The state at step ``steps`` is read by ``pool="step"``; a shorter text reaches it through padding.
    """

    def __init__(
        self,
        front: Front,
        classes: int,
        *,
        layers: int = 1,
        units: int = 150,
        pool: Pool = "max",
        steps: int | None = None,
        **more: float,
    ) -> None:
        if (pool == "step") != (steps is not None):
            raise ValueError("an LSTM read at a step, and no other, needs to know which step")
        own: dict[str, Any] = {"layers": layers, "units": units, "pool": pool}
        own |= {} if steps is None else {"steps": steps}
        super().__init__(front, units, classes, **own, **more)
        widths = [front.width, *[units] * (layers - 1)]
        self.levels = nn.ModuleList(nn.LSTM(width, units, batch_first=True) for width in widths)
        self.pool, self.steps = pool, steps
        if steps is not None:
            self._remember()

    def _remember(self) -> None:
        """Begin with open forget gates: the state at a text's end must outlast the padding behind it.

        Half open, as they are drawn, they leave nothing of it after twenty steps, and no slope to learn from.
        """
        with torch.no_grad():
            for level in self.levels:
                cast(Tensor, level.bias_ih_l0).chunk(4)[1].fill_(_OPEN)
                cast(Tensor, level.bias_hh_l0).chunk(4)[1].zero_()

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the states at each unit, and at the padding up to the step that is read, layer by layer."""
        return stacked(self.levels, self._to_the_step(vectors), lambda level, states: level(states)[0])

    def _to_the_step(self, vectors: Tensor) -> Tensor:
        """Return vectors that go on as padding, whose vector is zero, to the step that is read."""
        missing = (self.steps or 0) - vectors.shape[1]
        return vectors if missing <= 0 else nn.functional.pad(vectors, (0, 0, 0, missing))

    def layers(self, ids: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the tokens' vectors and every layer's states, one row a token."""
        return [layer[:, : ids.shape[1]] for layer in super().layers(ids, mask)]

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
        states = stacked(self.levels, self._to_the_step(self.dropout(vectors)), step)
        logits: Tensor = self.read_out(self.dropout(self.pooled(states[-1], mask)))
        return logits

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the largest, the mean, the last, or a certain state."""
        if self.steps is not None:
            return states[:, self.steps - 1]
        if self.pool == "mean":
            return mean_state(states, mask)
        return last_state(states, mask) if self.pool == "last" else super().pooled(states, mask)


class BiLSTM(Net):
    """Layers of LSTMs in both directions, of so many units each; the largest state of each unit is read out."""

    def __init__(self, front: Front, classes: int, *, layers: int = 1, units: int = 150, **more: float) -> None:
        super().__init__(front, 2 * units, classes, layers=layers, units=units, **more)
        widths = [front.width, *[2 * units] * (layers - 1)]
        self.levels = nn.ModuleList(BothWays(width, units) for width in widths)

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the states of both directions at each unit, layer by layer."""
        return stacked(self.levels, vectors, lambda level, states: level(states, mask))


class LSTMAttention(Net):
    """A bidirectional LSTM whose states are weighed by a small net of their own and summed.

    Of a pair each text gives such a sum, u and v; u, v, the size of u − v and u·v, number by number, are read out
    (Hsieh et al., 2019, after Lin et al., 2017). The LSTM has ``units`` a direction, the small net ``hidden`` ones.
    """

    def __init__(
        self, front: Front, classes: int, *, pair: bool = False, units: int = 150, hidden: int = 100, **more: float
    ) -> None:
        width = 2 * units
        super().__init__(
            front, 4 * width if pair else width, classes, pair=pair, units=units, hidden=hidden, **more
        )
        self.reads_pairs = pair
        self.level = BothWays(front.width, units)
        self.weigh = nn.Sequential(nn.Linear(width, hidden), nn.Tanh(), nn.Linear(hidden, 1, bias=False))

    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the states of both directions at each unit."""
        return [self.level(vectors, mask)]

    def weights(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the attention, [texts, units]: it sums to one over the real units."""
        scores = self.weigh(states)[:, :, 0].masked_fill(~mask, torch.finfo(states.dtype).min)
        return torch.where(mask, scores.softmax(1), 0)

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the states' weighted sum."""
        return (self.weights(states, mask)[:, :, None] * states).sum(1)

    def features(self, read: Read, types: Tensor | None) -> Tensor:
        """Return one text's sum, or what two say together."""
        if not self.reads_pairs:
            return super().features(read, types)
        u, v = (super(LSTMAttention, self).features(half, None) for half in self._halves(read, types))
        return torch.cat([u, v, (u - v).abs(), u * v], dim=1)

    def attention(self, ids: Tensor, mask: Tensor, types: Tensor | None) -> Tensor:
        """Return the attention each token gets; of a pair half from each text, so that all sum to one."""
        read = self.front.read_tokens(ids, mask)
        if not self.reads_pairs:
            return self.weights(self.states(read.vectors, read.mask)[-1], read.mask)
        first, second = self._halves(read, types)
        shares = [self.weights(self.states(half.vectors, half.mask)[-1], half.mask) for half in (first, second)]
        # The second text's weights go back to where its tokens stand.
        at = torch.arange(mask.shape[1], device=mask.device)
        begins = first.mask.sum(1, keepdim=True)
        behind = shares[1].gather(1, (at - begins).clamp(min=0))
        joined = torch.where(at < begins, shares[0], behind) * mask
        return joined / joined.sum(1, keepdim=True).clamp(min=1e-9)

    @staticmethod
    def _halves(read: Read, types: Tensor | None) -> tuple[Read, Read]:
        """Cut rows of two texts; each begins at the first place of its half."""
        assert types is not None, "a net for pairs needs to know which token is whose"
        is_second = types.bool() & read.mask
        first = Read(read.vectors, read.mask & ~is_second)
        at = torch.arange(read.mask.shape[1], device=read.mask.device)
        moved = (at + first.mask.sum(1, keepdim=True)).clamp(max=read.mask.shape[1] - 1)
        vectors = read.vectors.gather(1, moved[:, :, None].expand_as(read.vectors))
        return first, Read(vectors, at < is_second.sum(1, keepdim=True))
