"""A recurrent net with additive attention, for one text or for two (Hsieh et al., 2019, after Lin et al., 2017)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from unfool.zoo.fronts import Front, Read
from unfool.zoo.nets.lstm import BothWays
from unfool.zoo.nets.net import Net


class LSTMAttention(Net):
    """A bidirectional LSTM whose states are weighed by a small net of their own and summed.

    Of a pair each text gives such a sum, u and v; u, v, the size of u − v and u·v, number by number, are read out.

    Args:
        front: From tokens to the vectors the layers read.
        classes: How many labels there are.
        pair: Whether texts are pairs.
        units: Units a direction.
        hidden: Units of the small net that weighs.
        more: What every net takes.
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
