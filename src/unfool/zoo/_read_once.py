"""What a frozen ELMo says of the texts a net learns from: computed once, for all epochs and all nets.

It is most of the work of a net behind it, and comes out the same every time: seventeen nets on Rotten Tomatoes took
635 s before and 247 s since, beside others on an H200.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unfool.training import EncodedSamples
from unfool.victims._packing import TokenBatch
from unfool.zoo.encoders import START
from unfool.zoo.fronts import Front, Read
from unfool.zoo.fronts.elmo import Elmo

if TYPE_CHECKING:
    import torch

_TEXTS_AT_ONCE = 256
_MOST_BYTES = 4 << 30
_BYTES_A_NUMBER = 2


class ReadOnce(NamedTuple):
    """The layers at every word of some texts, in half precision, and the texts as rows of them."""

    layers: torch.Tensor
    """[words, layers, width]"""
    learnt: EncodedSamples
    chosen_by: EncodedSamples

    def read(self, elmo: Front, rows: TokenBatch) -> Read:
        """Return what the front reads in a batch of such texts."""
        assert isinstance(elmo, Elmo)
        return Read(elmo.mixed(self.layers[rows.ids].float()), rows.mask)


def fits(elmo: Elmo, *samples: EncodedSamples) -> bool:
    """Say whether there are texts, and what it says of them can be kept."""
    words = sum(texts.count(START) for texts in samples)
    return 0 < words * len(elmo.mix) * elmo.width * _BYTES_A_NUMBER <= _MOST_BYTES


def read_once(elmo: Elmo, learnt: EncodedSamples, chosen_by: EncodedSamples) -> ReadOnce:
    """Read texts with an ELMo that is on their device."""
    import torch

    every = sum(samples.count(START) for samples in (learnt, chosen_by))
    layers = torch.empty(every, len(elmo.mix), elmo.width, dtype=torch.half, device=elmo.mix.device)
    rows: list[EncodedSamples] = []
    first = 0
    for samples in (learnt, chosen_by):
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
    return ReadOnce(layers, *rows)
