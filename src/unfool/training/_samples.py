"""The samples a model is trained on: the splits of a data set, and texts encoded once for batches of any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.data import GUESSED, Absent, BadRow, Reading, at_hand, has_splits, load
from unfool.errors import UserError
from unfool.labels import are_numbers
from unfool.text import Sample
from unfool.victims.tokens import Encoder, TokenBatch, token_rows, upload

if TYPE_CHECKING:
    import torch

_HELD_OUT_EVERY = 10


class Splits(NamedTuple):
    """Samples to train on, to choose the best epoch by, and to judge by; the last may be missing."""

    train: Sequence[Sample]
    validation: Sequence[Sample]
    test: Sequence[Sample]
    labels: tuple[str, ...]
    fingerprint: str
    """Of the split ``train`` as it was loaded."""
    held_out: bool = False
    """Whether the validation samples were taken out of the split ``train``."""
    skipped: Sequence[BadRow] = ()
    """The bad rows of all splits, left out as the reading asked."""

    @property
    def pairs(self) -> bool:
        """Whether texts are pairs."""
        return len(self.train[0].text.fields) > 1


def load_splits(name: str, reading: Reading = GUESSED) -> Splits:
    """Load a data set for training; without a validation split every tenth training sample is held out.

    Where these lack a label, as in a file whose labels alternate, samples are counted label by label.

    A file has no splits: all of it is for training. All splits are read from the same columns, and a label that
    is a name has the same id in each.
    """
    is_file = not has_splits(name)
    source = load(name, split=None if is_file else "train", **reading.given)
    train, skipped = list(source), [*source.bad_rows]
    if source.columns.names_sorted or are_numbers(source.labels):
        reading = replace(reading, labels=source.labels)  # a split that lacks a class would number the others anew

    def samples(split: str) -> list[Sample]:
        try:
            found = load(name, split=split, **replace(reading, skip_bad=True).given)
        except Absent:
            return []
        if found.bad_rows:
            load(name, split=split, **reading.given)  # says what is bad, unless it is to be left out
        skipped.extend(found.bad_rows)
        return list(found)

    validation, test = ([] if is_file else samples(split) for split in ("validation", "test"))
    if not test and not is_file:
        test = samples("validation_matched")  # MultiNLI keeps its test labels to itself
    held_out = not validation
    if held_out:
        train, validation = _hold_out(train)
    if not train:
        raise UserError(f"{name} has {len(validation)} samples, of which none is left to train on; give more")
    return Splits(train, validation, test, source.labels, source.fingerprint, held_out, skipped)


def _hold_out(samples: Sequence[Sample]) -> tuple[list[Sample], list[Sample]]:
    """Return what is left to train on, and what is held out."""
    held: Sequence[int] = range(0, len(samples), _HELD_OUT_EVERY)
    if {samples[place].label for place in held} != {sample.label for sample in samples}:
        held = sorted(range(len(samples)), key=lambda place: samples[place].label)[::_HELD_OUT_EVERY]
    chosen = {*held}
    return (
        [sample for place, sample in enumerate(samples) if place not in chosen],
        [samples[place] for place in sorted(chosen)],
    )


def have_changed(name: str, fingerprint: str) -> bool:
    """Say whether data with this fingerprint have become others; never of those that would have to be fetched."""
    if at_hand(name) is None:
        return False
    try:
        return load(name, split="train" if has_splits(name) else None).fingerprint != fingerprint
    except Absent:
        return False


class LabelledBatch(NamedTuple):
    """A padded batch, the label of each of its texts, and which samples they are."""

    tokens: TokenBatch
    labels: torch.Tensor
    numbers: NDArray[np.intp]
    part_of: NDArray[np.intp] | None = None
    """Which samples the whole batch has, if this is a part of one."""

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
