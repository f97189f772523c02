"""Labelled texts as token batches of similar length, for training and for measuring accuracy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unfool.text import Sample
from unfool.victims._packing import TokenBatch, whole_batch
from unfool.victims._unit_store import Encoder

if TYPE_CHECKING:
    import torch


class LabelledBatch(NamedTuple):
    """A padded batch and the label of each of its texts."""

    tokens: TokenBatch
    labels: torch.Tensor


class EncodedSamples:
    """Samples encoded once, cut into batches as often as needed.

    Args:
        samples: Labelled texts.
        encoder: The tokenizer.
        device: Where the batches go.
        pad: The token that fills short rows.
    """

    def __init__(self, samples: Iterable[Sample], encoder: Encoder, device: torch.device, *, pad: int = 0) -> None:
        kept = list(samples)
        self._encoder, self._device, self._pad = encoder, device, pad
        self._texts = encoder.whole([sample.text.strings for sample in kept])
        self._labels = np.array([sample.label for sample in kept], dtype=np.int64)
        self._lengths = np.array([len(text.tokens) for text in self._texts], dtype=np.int64)

    def __len__(self) -> int:
        return len(self._texts)

    def shuffled(self, size: int, generator: np.random.Generator) -> Iterator[LabelledBatch]:
        """Cut into batches of texts of similar length, drawn and ordered at random."""
        order = generator.permutation(len(self))
        order = order[np.argsort(self._lengths[order], kind="stable")]
        starts = np.arange(0, len(order), size)
        for start in generator.permutation(starts).tolist():
            yield self._batch(order[start : start + size])

    def by_length(self, size: int) -> Iterator[LabelledBatch]:
        """Cut into batches from the shortest text to the longest."""
        order = np.argsort(self._lengths, kind="stable")
        for start in range(0, len(order), size):
            yield self._batch(order[start : start + size])

    def _batch(self, chosen: np.ndarray) -> LabelledBatch:
        import torch

        texts = [self._texts[number] for number in chosen.tolist()]
        tokens = whole_batch(texts, self._encoder, self._pad, 1, self._device)
        return LabelledBatch(tokens, torch.from_numpy(self._labels[chosen]).to(self._device))
