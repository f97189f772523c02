"""What every net of the zoo has: a front that reads tokens, layers of states, a linear read-out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

from unfool.zoo.fronts import Front, Read

_DROPOUT = 0.3


class Net(nn.Module, ABC):
    """Base of nets: a subclass gives its states for each unit, which are pooled and read out.

    A text's logits never depend on the padding beside it.

    Args:
        front: From tokens to the vectors the layers read.
        width: The dimensions of what is read out.
        classes: How many labels there are.
        dropout: Share of numbers dropped in training, before the layers and before the read-out.
        sizes: What else the subclass takes; a stored net is made of it again.
    """

    reads_pairs = False
    """Whether texts are pairs."""

    def __init__(self, front: Front, width: int, classes: int, *, dropout: float = _DROPOUT, **sizes: Any) -> None:
        super().__init__()
        self.front = front
        self.sizes: dict[str, Any] = {"dropout": dropout, **sizes}
        self.dropout = nn.Dropout(dropout)
        self.read_out = nn.Linear(width, classes)

    @abstractmethod
    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return each layer's states, [texts, units, width]; those of padding may be anything finite."""

    def pooled(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return one vector a text: the largest state of each dimension over the real units."""
        lowest = torch.finfo(states.dtype).min
        largest = states.masked_fill(~mask[:, :, None], lowest).amax(1)
        # A text without words has nothing to pool.
        return torch.where(mask.any(1, keepdim=True), largest, 0)

    def features(self, read: Read, types: Tensor | None) -> Tensor:
        """Return what is read out."""
        return self.pooled(self.states(self.dropout(read.vectors), read.mask)[-1], read.mask)

    def forward_embedded(self, vectors: Tensor, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """Return logits from token vectors."""
        return self.forward_read(self.front.read(vectors, ids, mask), types)

    def forward_read(self, read: Read, types: Tensor | None = None) -> Tensor:
        """Return logits from what the front read."""
        logits: Tensor = self.read_out(self.dropout(self.features(read, types)))
        return logits

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor | None = None) -> Tensor:
        """Return logits, [texts, classes]."""
        return self.forward_read(self.front.read_tokens(ids, mask), types)

    def layers(self, ids: Tensor, mask: Tensor) -> list[Tensor]:
        """Return the tokens' vectors and every layer's states, one row a token."""
        vectors = self.front.embed(ids)
        read = self.front.read(vectors, ids, mask)
        states = self.states(read.vectors, read.mask)
        if read.unit_of_token is None:
            return [vectors, *states]
        spread = read.unit_of_token[:, :, None]
        return [
            vectors,
            *(layer.gather(1, spread.expand(-1, -1, layer.shape[2])) for layer in (read.vectors, *states)),
        ]
