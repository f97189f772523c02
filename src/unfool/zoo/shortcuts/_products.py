"""What a net's first layer makes of each token by itself, worked out once a token."""

from __future__ import annotations

import torch
from torch import Tensor


class Products:
    """The product of each token's vector with a matrix, worked out when the token is first met and kept.

    One number more than there are tokens stands for no token at all; its product is zero.

    Args:
        vectors: The tokens' vectors, [ids, dimensions].
        weights: The matrix, [..., dimensions].
    """

    def __init__(self, vectors: Tensor, weights: Tensor) -> None:
        self.nothing = len(vectors)
        self._vectors, self._weights = vectors, weights.flatten(0, -2).T
        # Memory that nobody writes to is not taken: only the tokens met cost any.
        self._kept = torch.empty(self.nothing + 1, *weights.shape[:-1])
        self._kept[self.nothing] = 0
        self._known = torch.zeros(self.nothing + 1, dtype=torch.bool)
        self._known[self.nothing] = True

    def of(self, ids: Tensor) -> Tensor:
        """Return the products of tokens, [*ids, ...]."""
        flat = ids.flatten()
        unknown = flat[~self._known[flat]].unique()
        if len(unknown):
            made = self._vectors[unknown] @ self._weights
            self._kept[unknown] = made.view(-1, *self._kept.shape[1:])
            self._known[unknown] = True
        return self._kept.index_select(0, flat).view(*ids.shape, *self._kept.shape[1:])
