"""Gradients at the vectors of a source's tokens, after Seq2Sick (Cheng et al., 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from unfool.generation._output import Slope

if TYPE_CHECKING:
    import torch

_AHEAD = 1.0
"""How far ahead a keyword must be for its loss to end: by less, rounding could decide."""


class ForcedModel(Protocol):
    """An encoder and a decoder that scores all tokens of given outputs at once, from the vectors of the sources."""

    device: torch.device
    start: int
    end: frozenset[int]
    pad: int
    forced: tuple[int, ...]

    @property
    def table(self) -> torch.Tensor:
        """The vectors of all source tokens, [ids, dimensions]."""
        ...

    def scores(self, vectors: torch.Tensor, mask: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Return the scores of the token behind each token of the outputs, [sources, tokens, ids]."""
        ...


def slopes(
    model: ForcedModel,
    sources: Sequence[Sequence[int]],
    outputs: Sequence[Sequence[int]],
    wanted: Sequence[int] = (),
) -> list[Slope]:
    """Differentiate, at the vectors of each source's tokens, what brings a goal nearer where it falls.

    With wanted tokens, that is for each of them how far the best other token is ahead of it at the place of the
    output where it comes nearest, summed (Seq2Sick's loss for keywords). Without, it is the log-probability of the
    output, a token on average.

    Args:
        model: The model.
        sources: The sources' tokens.
        outputs: The outputs' tokens.
        wanted: Tokens that are to appear in the output.
    """
    import torch

    found = []
    # A recurrent net in evaluation mode can be differentiated, but not by cuDNN.
    with torch.enable_grad(), torch.backends.cudnn.flags(enabled=False):
        for source, output in zip(sources, outputs, strict=True):
            ids = torch.tensor([list(source)], device=model.device)
            vectors = model.table.detach()[ids].requires_grad_()
            given = torch.tensor([[model.start, *model.forced, *output]], device=model.device)
            scores = model.scores(vectors, torch.ones_like(ids), given)[0, len(model.forced) :]
            if wanted:
                loss = sum((_behind(scores, token) for token in wanted), scores.new_zeros(()))
            else:
                said = torch.tensor([*output, min(model.end)], device=model.device)
                loss = scores.log_softmax(-1).gather(1, said[:, None]).mean()
            (gradient,) = torch.autograd.grad(loss, vectors)
            found.append(Slope(list(source), gradient[0].float().cpu().numpy(), float(loss.detach())))
    return found


def _behind(scores: torch.Tensor, token: int) -> torch.Tensor:
    """Return how far a token is behind the best other one at its best place, and no less than well ahead."""
    import torch

    others = scores.clone()
    others[:, token] = -torch.inf
    return (others.max(-1).values - scores[:, token]).min().clamp(min=-_AHEAD)
