"""The vectors of the words a net knows, and which of them lies farthest in a direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unfool.engine import Floats, Later, Pending

if TYPE_CHECKING:
    import torch

_DECIMALS = 4
"""Places of a projection on a direction of length one that do not move with the batch's shape."""
_SCORES_AT_ONCE = 1 << 26


class Projection(NamedTuple):
    """A direction among a net's word vectors, and whether only a word's angle to it counts, not its length."""

    direction: Floats
    cosine: bool = False


class WordEmbeddings:
    """Words that are one token each, and their vectors; as a service, from `Projection` to the farthest word.

    Args:
        words: The words.
        vectors: One row a word, where the net lives.
    """

    def __init__(self, words: Sequence[str], vectors: torch.Tensor) -> None:
        self.words, self._vectors = words, vectors

    @cached_property
    def matrix(self) -> Floats:
        """The vectors, one row a word."""
        values: Floats = self._vectors.float().cpu().numpy()
        return values

    def row(self, word: str) -> int | None:
        """Return the row of a word, as it is written or else in lower case; None where the net does not know it."""
        found = self._rows.get(word)
        return self._rows.get(word.lower()) if found is None else found

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def launch(self, requests: Sequence[Projection]) -> Pending:
        """Find the words, for many directions in one product."""
        return Later.of([self.words[number] for number in self._farthest(requests)])

    def _farthest(self, requests: Sequence[Projection]) -> Iterator[int]:
        import torch

        step = max(1, _SCORES_AT_ONCE // len(self.words))
        for start in range(0, len(requests), step):
            chosen = requests[start : start + step]
            directions = torch.from_numpy(np.stack([request.direction for request in chosen]))
            directions = torch.nn.functional.normalize(directions.to(self._vectors), dim=1)
            scores = directions @ self._vectors.T
            if any(request.cosine for request in chosen):
                by_angle = torch.tensor([request.cosine for request in chosen], device=self._vectors.device)
                scores = torch.where(by_angle[:, None], scores / self._lengths, scores)
            scores = scores.round_(decimals=_DECIMALS)
            # NumPy's is ten times as fast as PyTorch's on a CPU; both take the first of equals.
            yield from (scores if scores.is_cuda else scores.numpy()).argmax(1).tolist()

    @cached_property
    def _lengths(self) -> torch.Tensor:
        lengths: torch.Tensor = self._vectors.norm(dim=1).clamp_min(1e-12)
        return lengths
