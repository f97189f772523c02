"""Data sets read and encoded once for all the models that are trained on them.

The states of a frozen ELMo at the texts are computed once, too. They are most of the work of a net on top of it,
and the same every time: on Rotten Tomatoes seventeen nets took 247 s instead of 635 s, beside others on an H200.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unfool.text import Sample
from unfool.training import EncodedSamples, Splits, load_splits
from unfool.victims.tokens import TokenBatch
from unfool.zoo.encoders import PAD, START, NetEncoder, encoder_from_texts

if TYPE_CHECKING:
    import torch

    from unfool.zoo._catalogue import NetRecipe
    from unfool.zoo.fronts import Front, Read
    from unfool.zoo.fronts.elmo import Elmo

MOST_BYTES = 4 << 30
"""ELMo states that take more memory are not kept."""
_TEXTS_AT_ONCE = 256
_BYTES_A_NUMBER = 2


class EncodedSplits(NamedTuple):
    """A data set's splits as a net reads them."""

    encoder: NetEncoder
    train: EncodedSamples
    validation: EncodedSamples
    test: EncodedSamples


def encode_splits(
    encoder: NetEncoder,
    train: Sequence[Sample],
    validation: Sequence[Sample],
    test: Sequence[Sample],
    device: torch.device,
) -> EncodedSplits:
    """Encode the splits of a data set."""
    parts = (EncodedSamples(samples, encoder, device, pad=PAD) for samples in (train, validation, test))
    return EncodedSplits(encoder, *parts)


class ElmoStates(NamedTuple):
    """An ELMo's layers at every word of some texts, in half precision, and the texts as rows of them."""

    layers: torch.Tensor
    """[words, layers, width]"""
    train: EncodedSamples
    validation: EncodedSamples

    def read(self, elmo: Front, rows: TokenBatch) -> Read:
        """Return what the front reads in a batch of such texts."""
        from unfool.zoo.fronts import Read
        from unfool.zoo.fronts.elmo import Elmo

        assert isinstance(elmo, Elmo)
        return Read(elmo.mixed(self.layers[rows.ids].float()), rows.mask)


class DatasetCache:
    """Keeps one data set at a time: as it was read, and as each kind of encoder reads it.

    For 40,000 news texts both take longer than some nets need to learn them.
    """

    def __init__(self) -> None:
        self._name = ""
        self._splits: Splits | None = None
        self._encoded: dict[tuple[str, int, torch.device], EncodedSplits] = {}
        self._elmo_states: tuple[str, ElmoStates] | None = None

    def splits(self, data: str) -> Splits:
        """Return a data set for training."""
        if self._splits is None or self._name != data:
            self._encoded.clear()
            self._elmo_states = None
            self._name, self._splits = data, load_splits(data)
        return self._splits

    def encoded(self, data: str, recipe: NetRecipe, device: torch.device) -> EncodedSplits:
        """Return a data set as the net of a recipe reads it."""
        splits = self.splits(data)
        key = (recipe.encoder, recipe.max_length, device)
        if key not in self._encoded:
            texts = [string for sample in splits.train for string in sample.text.strings]
            encoder = encoder_from_texts(recipe.encoder, texts, recipe.max_length)
            self._encoded[key] = encode_splits(encoder, splits.train, splits.validation, splits.test, device)
        return self._encoded[key]

    def elmo_states(self, texts: EncodedSplits, front: Front, device: torch.device) -> ElmoStates | None:
        """Return the states of a frozen ELMo at the texts, or None for other fronts and too many texts."""
        from unfool.zoo.fronts.elmo import Elmo

        if not isinstance(front, Elmo) or not fits(front, texts.train, texts.validation):
            return None
        reader = front.frozen_digest()
        if self._elmo_states is None or self._elmo_states[0] != reader:
            self._elmo_states = reader, elmo_states(front.to(device), texts.train, texts.validation)
        return self._elmo_states[1]


def fits(elmo: Elmo, *samples: EncodedSamples) -> bool:
    """Return whether there are texts, and memory for an ELMo's states at them."""
    words = sum(texts.count(START) for texts in samples)
    return 0 < words * len(elmo.mix) * elmo.width * _BYTES_A_NUMBER <= MOST_BYTES


def elmo_states(elmo: Elmo, train: EncodedSamples, validation: EncodedSamples) -> ElmoStates:
    """Read texts with an ELMo that is on their device."""
    import torch

    words_in_all = sum(samples.count(START) for samples in (train, validation))
    layers = torch.empty(words_in_all, len(elmo.mix), elmo.width, dtype=torch.half, device=elmo.mix.device)
    rows: list[EncodedSamples] = []
    first = 0
    for samples in (train, validation):
        starts, lengths = np.zeros((2, len(samples)), dtype=np.int64)
        for batch in samples.by_length(_TEXTS_AT_ONCE):
            ids, mask, _ = batch.tokens
            with torch.no_grad():
                spelt = elmo.spell_tokens(ids, mask)
                read = elmo.layers(spelt)
            words = spelt.mask.sum(1).cpu().numpy()
            lengths[batch.numbers], starts[batch.numbers] = words, first + words.cumsum() - words
            layers[first : first + words.sum()] = read[spelt.mask]
            first += int(words.sum())
        rows.append(samples.as_rows_of_a_table(starts, lengths))
    return ElmoStates(layers, *rows)
