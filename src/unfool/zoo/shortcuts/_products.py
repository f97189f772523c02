"""What a net's first layer makes of each token by itself, worked out once a token."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Products:
    """The products of each token's vector with some matrices, worked out when the token is first met, and kept.

    One number more than there are tokens stands for no token at all; its products are zero.

    Args:
        vectors: The tokens' vectors, [ids, dimensions].
        weights: The matrices, [matrices, units, dimensions].
    """

    def __init__(self, vectors: Tensor, weights: Tensor) -> None:
        self.nothing = len(vectors)
        self._vectors, self._weights = vectors, weights
        self._numbers = torch.arange(len(weights))
        # Memory that nobody writes to is not taken: only the tokens met cost any.
        self._kept = torch.empty(self.nothing + 1, *weights.shape[:2])
        self._kept[self.nothing] = 0
        self._known = torch.zeros(self.nothing + 1, dtype=torch.bool)
        self._known[self.nothing] = True

    def of(self, ids: Tensor) -> Tensor:
        """Return the products of tokens, which `learn` has met, with all matrices: [tokens, matrices · units]."""
        return self._kept.flatten(1).index_select(0, ids)

    def summed(self, ids: Tensor) -> Tensor:
        """Return sums, each token of a row times the matrix of its place there: from [rows, matrices]."""
        self.learn(ids)
        places = ids * len(self._numbers) + self._numbers
        return nn.functional.embedding_bag(places, self._kept.flatten(0, 1), mode="sum")

    def learn(self, ids: Tensor) -> None:
        """Work out the products of tokens that are new."""
        unknown = torch.unique(ids[~self._known[ids]])
        if len(unknown):
            products = self._vectors[unknown] @ self._weights.flatten(0, 1).T
            self._kept[unknown] = products.view(-1, *self._kept.shape[1:])
            self._known[unknown] = True
