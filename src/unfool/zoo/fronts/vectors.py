"""A vector for each token, word or character: the plain front."""

from __future__ import annotations

from torch import Tensor

from unfool.zoo.encoders import FIRST_WORD
from unfool.zoo.fronts._front import Front, Read


class Vectors(Front):
    """Each token is a unit.

    Args:
        rows: How many token ids there are.
        dimensions: Of a token's vector.
        frozen: Whether the vectors stay as they are.
    """

    def __init__(self, rows: int, dimensions: int, *, frozen: bool = False) -> None:
        super().__init__(rows, dimensions, first=FIRST_WORD, frozen=frozen)
        self.width = dimensions

    def read(self, vectors: Tensor, ids: Tensor, mask: Tensor) -> Read:
        """Return the vectors as they are."""
        return Read(vectors, mask)
