"""Data sets read and encoded once for all the models that are trained on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from unfool.zoo._encoded_samples import EncodedSamples
from unfool.zoo._splits import Splits, load_splits
from unfool.zoo.encoders import PAD, NetEncoder, encoder_from_texts

if TYPE_CHECKING:
    import torch

    from unfool.zoo._catalogue import NetRecipe


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
        self._splits: Splits | None = None
        self._lessons: dict[tuple[str, int, torch.device], Lessons] = {}

    def splits(self, data: str) -> Splits:
        """Return a data set for training."""
        if self._splits is None or self._name != data:
            self._lessons.clear()
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
