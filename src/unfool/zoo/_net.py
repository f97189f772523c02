"""What every net of the zoo has: trainable word vectors in front, layers of states, a linear read-out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

from unfool.zoo._vocabulary import PAD, UNKNOWN

_HIDDEN_WORDS = 0.05
_DROPOUT = 0.3


class Net(nn.Module, ABC):
    """Base of nets: a subclass gives its states for each token, which are pooled and read out.

    A text's logits never depend on the padding beside it.

    Args:
        vectors: The first word vectors, [vocabulary, dimensions].
        width: The dimensions of the last layer's states.
        classes: How many labels there are.
        frozen: Whether the word vectors stay as they are.
        sizes: What else the subclass takes; a stored net is made of it again.
    """

    def __init__(self, vectors: Tensor, width: int, classes: int, *, frozen: bool, **sizes: Any) -> None:
        super().__init__()
        self.sizes: dict[str, Any] = {"frozen": frozen, **sizes}
        self.embedding = nn.Embedding(len(vectors), vectors.shape[1], padding_idx=PAD)
        self.embedding.weight = nn.Parameter(vectors, requires_grad=not frozen)
        self.dropout = nn.Dropout(_DROPOUT)
        self.read_out = nn.Linear(width, classes)

    @abstractmethod
    def states(self, vectors: Tensor, mask: Tensor) -> list[Tensor]:
        """Return each layer's states, [texts, tokens, width]; those of padding may be anything finite."""

    def embed(self, ids: Tensor) -> Tensor:
        """Return word vectors; in training some words are hidden, so that the unknown word is learnt too."""
        if self.training:
            hidden = torch.rand(ids.shape, device=ids.device) < _HIDDEN_WORDS
            ids = torch.where(hidden & (ids != PAD), UNKNOWN, ids)
        vectors: Tensor = self.embedding(ids)
        return vectors

    def forward_embedded(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """Return logits from word vectors: the largest state of each dimension over the real tokens, read out."""
        last = self.states(self.dropout(vectors), mask)[-1]
        lowest = torch.finfo(last.dtype).min
        pooled = last.masked_fill(~mask[:, :, None], lowest).amax(1)
        # A text without words has nothing to pool.
        pooled = torch.where(mask.any(1, keepdim=True), pooled, 0)
        logits: Tensor = self.read_out(self.dropout(pooled))
        return logits

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return logits, [texts, classes]."""
        return self.forward_embedded(self.embed(ids), mask)
