"""Labelled texts as token batches of similar length, for training and for measuring accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.text import Sample
from unfool.victims.tokens import Encoder, TokenBatch, token_rows, upload

if TYPE_CHECKING:
    import torch


class LabelledBatch(NamedTuple):
    """A padded batch, the label of each of its texts, and which samples they are."""

    tokens: TokenBatch
    labels: torch.Tensor
    numbers: NDArray[np.intp]
    part_of: NDArray[np.intp] | None = None
    """Which samples the whole batch is of, where this is a part of one."""

    def part(self, span: slice) -> LabelledBatch:
        """Return some of the texts, as wide as they were."""
        return LabelledBatch(
            TokenBatch(*(tensor[span] for tensor in self.tokens)),
            self.labels[span],
            self.numbers[span],
            self.numbers if self.part_of is None else self.part_of,
        )


class EncodedSamples:
    """Samples encoded once and kept on the device, cut into batches as often as needed.

    Args:
        samples: Labelled texts.
        encoder: The tokenizer.
        device: Where the batches go.
        pad: The token that fills short rows.
    """

    most_tokens = 1 << 16
    """In a batch: the long texts of a large batch of letters would fill a GPU that several nets share."""

    def __init__(self, samples: Iterable[Sample], encoder: Encoder, device: torch.device, *, pad: int = 0) -> None:
        kept = list(samples)
        rows = token_rows(encoder.whole([sample.text.strings for sample in kept]), encoder.suffix)
        self._device, self._pad, self._lengths = device, pad, rows.lengths
        labels = np.array([sample.label for sample in kept], dtype=np.int64)
        starts = np.cumsum(rows.lengths) - rows.lengths
        self._tokens = upload(rows.tokens, device)
        self._columns = upload(np.stack([starts, rows.lengths, rows.seconds, labels]), device)

    def __len__(self) -> int:
        return len(self._lengths)

    def count(self, token: int) -> int:
        """Return how often a token stands in the texts."""
        return int((self._tokens == token).sum())

    def as_rows_of_a_table(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> EncodedSamples:
        """Return the same texts with other tokens: the numbers of rows in a table, from each text's first on."""
        import torch

        rows = copy(self)
        rows._lengths = lengths
        rows._tokens = torch.arange(int((starts + lengths).max(initial=0)), device=self._device)
        told = upload(np.stack([starts, lengths, lengths]), self._device)
        rows._columns = torch.cat([told, self._columns[-1:]])
        return rows

    def shuffled(self, size: int, generator: np.random.Generator) -> Iterator[LabelledBatch]:
        """Cut into batches of texts of similar length, fewer of very long ones, drawn and ordered at random."""
        order = generator.permutation(len(self))
        order = order[np.argsort(self._lengths[order], kind="stable")]
        cuts = self._cuts(size)
        for start, stop in cuts[generator.permutation(len(cuts))].tolist():
            yield self._batch(order[start:stop])

    def steps(self, size: int) -> int:
        """Return how many batches `shuffled` makes."""
        return len(self._cuts(size))

    def _cuts(self, size: int) -> NDArray[np.int64]:
        """Say where batches begin and end, from the shortest text to the longest."""
        lengths = np.sort(self._lengths)
        cuts: list[tuple[int, int]] = []
        start = 0
        while start < len(lengths):
            stop = min(start + size, len(lengths))
            fitting = max(1, self.most_tokens // max(1, int(lengths[stop - 1])))
            stop = min(stop, start + fitting)
            cuts.append((start, stop))
            start = stop
        return np.array(cuts, dtype=np.int64).reshape(-1, 2)

    def by_length(self, size: int) -> Iterator[LabelledBatch]:
        """Cut into batches from the shortest text to the longest."""
        order = np.argsort(self._lengths, kind="stable")
        for start in range(0, len(order), size):
            yield self._batch(order[start : start + size])

    def _batch(self, chosen: NDArray[np.intp]) -> LabelledBatch:
        import torch

        width = max(1, int(self._lengths[chosen].max()))
        starts, lengths, seconds, labels = self._columns[:, upload(chosen, self._device)]
        at = torch.arange(width, device=self._device)
        mask = at < lengths[:, None]
        where = (starts[:, None] + at).clamp_(max=max(0, len(self._tokens) - 1))
        ids = torch.where(mask, self._tokens[where].long() if len(self._tokens) else 0, self._pad)
        return LabelledBatch(TokenBatch(ids, mask, ((at >= seconds[:, None]) & mask).long()), labels, chosen)
