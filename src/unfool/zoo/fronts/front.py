"""The front of a net: it turns token ids into the vectors that the layers read."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from unfool.zoo.encoders import FIRST_WORD, PAD, UNKNOWN

_HIDDEN = 0.05


class Read(NamedTuple):
    """What a net's layers read: a vector a unit. Units are tokens, or words made of several tokens."""

    vectors: Tensor
    """[texts, units, width]"""
    mask: Tensor
    """[texts, units]"""
    unit_of_token: Tensor | None = None
    """[texts, tokens], the unit each token is part of, or None if tokens are units."""


def stacked(levels: Iterable[nn.Module], vectors: Tensor, step: Callable[[Any, Tensor], Tensor]) -> list[Tensor]:
    """Run levels one upon the other and return what each says; from the second on they add what they read.

    Without that, four LSTMs over letters were still guessing after ten epochs, and two from some seeds.
    """
    states: list[Tensor] = []
    for level in levels:
        said = step(level, states[-1] if states else vectors)
        states.append(said + states[-1] if states else said)
    return states


def turning(mask: Tensor) -> Callable[[Tensor], Tensor]:
    """Return a function that turns each text round in its own length, and back again.

    Padding then follows the words in both directions, where it cannot reach them. Packed sequences would do the
    same, but wait for the device to tell the lengths.
    """
    steps = torch.arange(mask.shape[1], device=mask.device)
    mirror = (mask.sum(1, keepdim=True) - 1 - steps).where(mask, steps)[:, :, None]
    return lambda vectors: vectors.gather(1, mirror.expand_as(vectors))


class Front(nn.Module, ABC):
    """Base of fronts: an embedding of tokens, and a way to read it.

    Args:
        rows: How many token ids there are.
        dimensions: Of a token's vector.
        first: The first id that is no special mark.
        frozen: Whether token vectors stay as they are.
        sizes: What else the subclass takes; a stored front is made of it again.
    """

    width: int
    """The dimensions of what `read` returns."""

    def __init__(self, rows: int, dimensions: int, *, first: int, frozen: bool, **sizes: Any) -> None:
        super().__init__()
        self.sizes: dict[str, Any] = {"rows": rows, "dimensions": dimensions, "frozen": frozen, **sizes}
        self._first = first
        self.table = nn.Embedding(rows, dimensions, padding_idx=PAD)
        self.table.weight.requires_grad_(not frozen)

    def frozen_digest(self) -> str:
        """Return a fingerprint of the frozen weights, by which they are known again."""
        seen = hashlib.blake2b(digest_size=16)
        for name, weight in self.named_parameters():
            if not weight.requires_grad:
                seen.update(name.encode())
                seen.update(weight.detach().cpu().contiguous().numpy().tobytes())
        return seen.hexdigest()

    def embed(self, ids: Tensor) -> Tensor:
        """Return token vectors; in training some tokens are hidden, so that the unknown one is learnt too."""
        if self.training:
            hidden = torch.rand(ids.shape, device=ids.device) < _HIDDEN
            ids = torch.where(hidden & (ids >= self._first), UNKNOWN, ids)
        vectors: Tensor = self.table(ids)
        return vectors

    def read_tokens(self, ids: Tensor, mask: Tensor) -> Read:
        """Return what the layers read of tokens as they are."""
        return self.read(self.embed(ids), ids, mask)

    @abstractmethod
    def read(self, vectors: Tensor, ids: Tensor, mask: Tensor) -> Read:
        """Return what the layers read.

        Args:
            vectors: The tokens' vectors, [texts, tokens, dimensions]; gradients are taken here.
            ids: The tokens, of which only the special marks are looked at.
            mask: Which tokens count.
        """


class Vectors(Front):
    """Each token is a unit."""

    def __init__(self, rows: int, dimensions: int, *, frozen: bool = False) -> None:
        super().__init__(rows, dimensions, first=FIRST_WORD, frozen=frozen)
        self.width = dimensions

    def read(self, vectors: Tensor, ids: Tensor, mask: Tensor) -> Read:
        """Return the vectors as they are."""
        return Read(vectors, mask)
