"""Data sets read and encoded once for all the models that are trained on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from unfool.training import EncodedSamples, Splits, load_splits
from unfool.zoo._embeddings import digest
from unfool.zoo.encoders import PAD, NetEncoder, encoder_from_texts

if TYPE_CHECKING:
    import torch

    from unfool.zoo._catalogue import NetRecipe
    from unfool.zoo._read_once import ReadOnce
    from unfool.zoo.fronts import Front


class Lessons(NamedTuple):
    """A data set's splits as a net reads them."""

    encoder: NetEncoder
    train: EncodedSamples
    validation: EncodedSamples
    test: EncodedSamples


class Shelf:
    """Keeps one data set at a time: as it was read, and as each kind of encoder reads it.

    For news in 40,000 texts both take longer than some nets need to learn them.
    """

    def __init__(self) -> None:
        self._name = ""
        self._read_once: tuple[str, ReadOnce] | None = None
        self._splits: Splits | None = None
        self._lessons: dict[tuple[str, int, torch.device], Lessons] = {}

    def splits(self, data: str) -> Splits:
        """Return a data set for training."""
        if self._splits is None or self._name != data:
            self._lessons.clear()
            self._read_once = None
            self._name, self._splits = data, load_splits(data)
        return self._splits

    def lessons(self, data: str, recipe: NetRecipe, device: torch.device) -> Lessons:
        """Return a data set as the net of a recipe reads it."""
        splits = self.splits(data)
        key = (recipe.encoder, recipe.max_length, device)
        if key not in self._lessons:
            texts = [string for sample in splits.train for string in sample.text.strings]
            encoder = encoder_from_texts(recipe.encoder, texts, recipe.max_length)
            parts = (splits.train, splits.validation, splits.test)
            self._lessons[key] = Lessons(
                encoder, *(EncodedSamples(part, encoder, device, pad=PAD) for part in parts)
            )
        return self._lessons[key]

    def read_once(self, lessons: Lessons, front: Front, device: torch.device) -> ReadOnce | None:
        """Return what a frozen ELMo says of the lessons last taken; None for other fronts and too many texts."""
        from unfool.zoo._read_once import fits, read_once
        from unfool.zoo.fronts.elmo import Elmo

        if not isinstance(front, Elmo) or not fits(front, lessons.train, lessons.validation):
            return None
        reader = digest(front)
        if self._read_once is None or self._read_once[0] != reader:
            self._read_once = reader, read_once(front.to(device), lessons.train, lessons.validation)
        return self._read_once[1]
