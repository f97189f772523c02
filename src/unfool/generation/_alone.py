"""Greedy decoding of each source alone, at a fraction of its steps: guessed together, then read in one pass.

Each token of the output is the likeliest after those before it. So if the decoder, reading source and guess alone,
finds every token of the guess likeliest at its place, then step by step it would have said just that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from unfool.generation._decoding import Decoded, StepModel, allowed_everywhere, greedy
from unfool.generation._slopes import ForcedModel

_CLEARLY = 1e-3
"""How far ahead of all others a token must be: nearer ones could change places by rounding."""


class ReadsAtOnce(StepModel, ForcedModel, Protocol):
    """A model that scores all tokens of an output in one pass."""


def greedy_alone(
    model: ReadsAtOnce, sources: Sequence[Sequence[int]], most: int, guesser: StepModel | None = None
) -> list[Decoded]:
    """Decode every source as if it were the only one.

    Args:
        model: The model.
        sources: The sources' tokens.
        most: Where an output ends at the latest.
        guesser: What guesses the outputs, such as the model at half precision; None for the model itself.
    """
    import torch

    if len(sources) == 1:
        return greedy(model, sources, most)
    found = []
    for source, guess in zip(sources, greedy(guesser or model, sources, most), strict=True):
        with torch.inference_mode():
            read = _read(model, source, guess.tokens, most)
        found.append(read or greedy(model, [source], most)[0])
    return found


def _read(model: ReadsAtOnce, source: Sequence[int], guess: list[int], most: int) -> Decoded | None:
    """Return the guess as decoded, or None if the model alone would not clearly have said it."""
    import torch

    ids = torch.tensor([list(source)], device=model.device)
    said = [*guess, min(model.end)] if len(guess) < most else guess
    given = torch.tensor([[model.start, *model.forced, *said[:-1]]], device=model.device)
    scores = allowed_everywhere(model, model.scores(model.table[ids], torch.ones_like(ids), given), given)
    likely = scores[len(model.forced) :].log_softmax(-1)
    chances, tokens = likely.topk(2)
    wanted = torch.tensor(said, device=model.device)
    ends = torch.tensor(sorted(model.end), device=model.device)
    right = tokens[:, 0] == wanted
    if len(guess) < most:
        right[-1] = torch.isin(tokens[-1, 0], ends)
    if not bool((right & (chances[:, 0] - chances[:, 1] > _CLEARLY)).all()):
        return None
    return Decoded(list(guess), float(chances[:, 0].double().sum()), [])
