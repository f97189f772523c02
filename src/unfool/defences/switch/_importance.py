"""How much each token of a text matters to a net, by gradients at its vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from unfool.engine import Floats
from unfool.text import Text
from unfool.victims import WhiteBoxVictim
from unfool.victims.tokens import TokenBatch

if TYPE_CHECKING:
    import torch

Importance = Literal["gradient", "logits"]

_DECIMALS = 5
"""Places of a share of the largest gradient that do not move with the batch's shape."""


def token_importance(
    net: WhiteBoxVictim,
    vectors: torch.Tensor,
    batch: TokenBatch,
    labels: Sequence[int] | None,
    kind: Importance = "gradient",
) -> Floats:
    """Return how much each token matters, [texts, tokens], as a share of the most important one of its text.

    Args:
        net: The net.
        vectors: The tokens' vectors.
        batch: The tokens.
        labels: The class each text's importance is measured by; the net's own answers where None.
        kind: See `SwitchSettings.importance`; ``logits`` looks at no label.
    """
    import torch

    leaves = vectors.detach().requires_grad_()
    with net.differentiable():
        logits = net.logits_of(leaves, batch)
        if kind == "logits":
            (gradient,) = torch.autograd.grad(logits.square().sum() / 2, leaves)
        else:
            chosen = logits.argmax(1) if labels is None else torch.tensor(list(labels), device=logits.device)
            (gradient,) = torch.autograd.grad(logits.gather(1, chosen[:, None]).sum(), leaves)
    size = gradient.norm(dim=2) if kind == "logits" else gradient.abs().amax(2)
    shares = size / size.amax(1, keepdim=True).clamp_min(torch.finfo(size.dtype).tiny)
    return np.round(shares.cpu().numpy(), _DECIMALS)


def word_importance(
    net: WhiteBoxVictim, texts: Sequence[Text], labels: Sequence[int] | None, kind: Importance
) -> list[dict[int, float]]:
    """Return how much each word matters, by position: as much as the token of it that matters most.

    Words that the net does not read, behind its longest length, are not in it.
    """
    found: list[dict[int, float]] = [{} for _ in texts]
    for cut in net.in_batches(texts, net.backward_share):
        asked = None if labels is None else [labels[number] for number in cut.numbers]
        shares = token_importance(net, net.embed(cut.batch), cut.batch, asked, kind)
        for number, words, row in zip(cut.numbers, cut.words, shares, strict=True):
            scores = found[number]
            for word, share in zip(words.tolist(), row.tolist(), strict=False):  # the row is padded
                if word >= 0:
                    scores[word] = max(share, scores.get(word, 0.0))
    return found
