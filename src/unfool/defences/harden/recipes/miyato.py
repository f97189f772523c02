"""Adversarial training in the space of embeddings (Miyato et al., 2017), for words and for characters."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from unfool.defences.harden._method import Plan, Training, method
from unfool.errors import UserError
from unfool.training import LabelledBatch, Place
from unfool.victims import Spells, WhiteBoxVictim
from unfool.victims.tokens import TokenBatch
from unfool.zoo.encoders import START, Characters, CharWords

if TYPE_CHECKING:
    from torch import Tensor

_LEAST = 1e-12


@method
def miyato(training: Training, *, epsilon: float = 0.1, over: Literal["auto", "text", "word"] = "auto") -> Plan:
    """Beside each text, train on its vectors moved a little along the gradient of the loss.

    Args:
        training: What there is to train with.
        epsilon: How far: the length of the noise as a share of the length (the Frobenius norm) of the vectors it
            is added to. The papers do not say; 0.1, 0.5, 1 and 5 are worth trying.
        over: What the length is taken over: the whole ``text``, as Miyato et al.; each ``word``, which for a net of
            characters is the matrix of its characters, as Ebrahimi et al.; ``auto`` takes the word for nets of
            characters and the text for others.
    """
    import torch

    if not 0 < epsilon < math.inf:
        raise UserError(f"the method 'miyato' cannot take epsilon={epsilon}; it takes a number over 0")
    net = training.net
    by_word = over == "word" or (over == "auto" and isinstance(net.victim, Spells))

    def losses(batch: LabelledBatch, place: Place) -> Iterator[Tensor]:
        vectors = net.watched(batch.tokens)
        yield torch.nn.functional.cross_entropy(net.logits_of(vectors, batch.tokens), batch.labels) / 2
        assert vectors.grad is not None
        groups = _words(net.victim, batch.tokens) if by_word else torch.zeros_like(batch.tokens.ids)
        real = batch.tokens.mask[:, :, None]
        noise = vectors.grad * real
        lengths = lengths_of_groups(vectors.detach() * real, groups) / lengths_of_groups(noise, groups).clamp(
            min=_LEAST
        )
        moved = net.victim.embed(batch.tokens) + epsilon * lengths[:, :, None] * noise
        yield torch.nn.functional.cross_entropy(net.logits_of(moved, batch.tokens), batch.labels) / 2

    return Plan(losses)


def _words(net: WhiteBoxVictim, tokens: TokenBatch) -> Tensor:
    """Number the words of each row and say which each token is part of; tokens are words but for characters."""
    import torch

    if isinstance(net.encoder, CharWords):
        return (tokens.ids == START).long().cumsum(1)
    if isinstance(net.encoder, Characters):
        spaces = torch.tensor([net.encoder.pieces([" "])[0][0]], device=tokens.ids.device)
        return torch.isin(tokens.ids, spaces).long().cumsum(1)
    return torch.arange(tokens.ids.shape[1], device=tokens.ids.device).expand_as(tokens.ids)


def lengths_of_groups(vectors: Tensor, groups: Tensor) -> Tensor:
    """Return for each token the Frobenius norm of the vectors of its group."""
    squares = (vectors.float() ** 2).sum(2)
    sums = squares.new_zeros(squares.shape[0], int(groups.max()) + 1)
    return sums.scatter_add_(1, groups, squares).sqrt().gather(1, groups)
