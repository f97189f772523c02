"""Greedy decoding in full batches: rows that end leave, keys and values of earlier steps are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

_TOKENS_A_BATCH = {"cpu": 4096, "cuda": 32_768}
"""Source tokens decoded together, padding included: a GPU waits for each step's start, however few rows it has."""
_WORTH_LEAVING = 0.75
"""Rows are taken out of the batch as soon as so few of them go on: taking some out costs a copy of the caches."""


class Decoded(NamedTuple):
    """The tokens of an output, without those at its ends, and what the model thought of them."""

    tokens: list[int]
    log_probability: float
    weights: list[float]
    """For each token asked about, its best log-probability at any place of the output."""


class StepModel(Protocol):
    """An encoder and a decoder that makes one token a step."""

    device: torch.device
    start: int
    """The token that the decoder begins with."""
    end: frozenset[int]
    """The tokens that end an output."""
    pad: int
    forced: tuple[int, ...]
    """Tokens that every output begins with, such as the one for its language."""
    never: tuple[int, ...]
    """Tokens that no output may have."""
    adjust: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None
    """From the tokens made so far, the first included, and the next one's scores to other scores; None for none."""

    def encode(self, ids: torch.Tensor, mask: torch.Tensor, blank: torch.Tensor | None = None) -> Any:
        """Read the sources and return the state that the first step starts from.

        Args:
            ids: The sources' tokens.
            mask: Which of them are no padding.
            blank: Tokens whose vectors are set to zero.
        """
        ...

    def memory(self, state: Any) -> torch.Tensor:
        """Return the encoder's states, a row a source token."""
        ...

    def step(self, tokens: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
        """Take the newest token of each row, return the scores of all next tokens and the state after it."""
        ...

    def keep(self, state: Any, rows: torch.Tensor) -> Any:
        """Return the state of some rows alone."""
        ...


def greedy(
    model: StepModel,
    sources: Sequence[Sequence[int]],
    most: int,
    asked: Sequence[int] = (),
    blank: Sequence[Sequence[int]] | None = None,
) -> list[Decoded]:
    """Decode every source, the likeliest token at each step.

    Args:
        model: The model.
        sources: The sources' tokens.
        most: Where an output ends at the latest.
        asked: Tokens whose best log-probability is wanted.
        blank: For each source, the places of tokens that it is read without: their vectors are set to zero.
    """
    import torch

    found: dict[int, Decoded] = {}
    with torch.inference_mode():
        for numbers in _batches([len(source) for source in sources], model.device):
            hidden = [blank[number] for number in numbers] if blank else None
            decoded = _decode(model, [sources[number] for number in numbers], most, asked, hidden)
            found.update(zip(numbers, decoded, strict=True))
    return [found[number] for number in range(len(sources))]


def forced_score(
    model: StepModel, sources: Sequence[Sequence[int]], outputs: Sequence[Sequence[int]]
) -> list[float]:
    """Return the log-probability of each output's tokens, the end included, given its source."""
    import torch

    scores = []
    with torch.inference_mode():
        for source, output in zip(sources, outputs, strict=True):
            ids, mask = _padded(model, [source])
            state, total = model.encode(ids, mask), 0.0
            given = torch.tensor([[model.start, *model.forced, *output, min(model.end)]], device=model.device)
            for place in range(1, given.shape[1]):
                made = given[:, :place]
                logits, state = model.step(made[:, -1], state)
                if place > len(model.forced):
                    total += float(allowed(model, logits, made).log_softmax(-1)[0, given[0, place]])
            scores.append(total)
    return scores


def mean_states(model: StepModel, sources: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Return the mean of the encoder's states over each source's tokens."""
    import torch

    found: dict[int, NDArray[np.float32]] = {}
    with torch.inference_mode():
        for numbers in _batches([len(source) for source in sources], model.device):
            ids, mask = _padded(model, [sources[number] for number in numbers])
            states = model.memory(model.encode(ids, mask)).float()
            mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            found.update(zip(numbers, mean.cpu().numpy(), strict=True))
    return np.stack([found[number] for number in range(len(sources))])


def _decode(
    model: StepModel,
    sources: Sequence[Sequence[int]],
    most: int,
    asked: Sequence[int],
    blank: Sequence[Sequence[int]] | None,
) -> list[Decoded]:
    import torch

    ids, mask = _padded(model, sources)
    hidden = None
    if blank is not None:
        hidden = torch.zeros_like(ids, dtype=torch.bool)
        for row, places in enumerate(blank):
            hidden[row, list(places)] = True
    state = model.encode(ids, mask, hidden)
    count, device = len(sources), model.device
    rows = torch.arange(count, device=device)
    going = torch.ones(count, dtype=torch.bool, device=device)
    begin = [model.start, *model.forced]
    made = torch.full((count, len(begin) + most), model.pad, device=device)
    made[:, : len(begin)] = torch.tensor(begin, device=device)
    lengths = torch.zeros(count, dtype=torch.long, device=device)
    total = torch.zeros(count, dtype=torch.float64, device=device)
    wanted = torch.tensor(list(asked), dtype=torch.long, device=device)
    best = torch.full((count, len(asked)), -torch.inf, device=device)
    ends = torch.tensor(sorted(model.end), device=device)
    for place in range(1, len(begin) + most):
        logits, state = model.step(made[rows, place - 1], state)
        if place < len(begin):
            continue
        likely = allowed(model, logits, made[rows, :place]).log_softmax(-1)
        chances, last = likely.max(-1)
        total[rows] += torch.where(going, chances, 0).double()
        if len(asked):
            near = torch.where(going[:, None], likely[:, wanted], -torch.inf)
            best[rows] = torch.maximum(best[rows], near)
        going &= ~torch.isin(last, ends)
        made[rows[going], place] = last[going]
        lengths[rows[going]] += 1
        left = int(going.sum())
        if not left:
            break
        if left <= _WORTH_LEAVING * len(rows):
            kept = going.nonzero().flatten()
            state, rows, going = model.keep(state, kept), rows[kept], going[kept]
    return [
        Decoded(line[:length], value, weights)
        for line, length, value, weights in zip(
            made[:, len(begin) :].tolist(), lengths.tolist(), total.tolist(), best.tolist(), strict=True
        )
    ]


def allowed(model: StepModel, logits: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
    """Return the next token's scores as the model's settings have them, given the tokens made so far."""
    scores = logits.float()
    if model.adjust:
        scores = model.adjust(made, scores)
    if model.never:
        scores = scores.clone()
        scores[:, list(model.never)] = -float("inf")
    return scores


def allowed_everywhere(model: StepModel, scores: torch.Tensor, given: torch.Tensor) -> torch.Tensor:
    """Return the scores at each place of one given output as the model's settings have them, step by step."""
    import torch

    if not model.adjust:
        return allowed(model, scores[0], given)
    rows = [allowed(model, scores[:, place], given[:, : place + 1]) for place in range(given.shape[1])]
    return torch.cat(rows)


def _padded(model: StepModel, sources: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    import torch

    longest = max(1, *map(len, sources)) if sources else 1
    ids = torch.tensor([[*source, *[model.pad] * (longest - len(source))] for source in sources])
    mask = torch.tensor([[1] * len(source) + [0] * (longest - len(source)) for source in sources])
    return ids.to(model.device), mask.to(model.device)


def _batches(lengths: Sequence[int], device: torch.device) -> Iterator[list[int]]:
    """Put sources of like lengths together, the longest first, no more than the memory of one batch takes."""
    most = _TOKENS_A_BATCH[device.type]
    batch: list[int] = []
    for number in sorted(range(len(lengths)), key=lambda each: -lengths[each]):
        if batch and (len(batch) + 1) * lengths[batch[0]] > most:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch
