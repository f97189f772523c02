"""The word vectors a net starts with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unfool.zoo._vocabulary import FIRST_WORD, PAD

if TYPE_CHECKING:
    from torch import Tensor

    from unfool.lexicon import Vectors


def first_vectors(words: Sequence[str], pretrained: Vectors, *, seed: int) -> Tensor:
    """Return a row a token id: pretrained where the word is known, small and random elsewhere, zero for padding.

    Args:
        words: The words of a vocabulary; the ids before them are special.
        pretrained: Word vectors.
        seed: Draws the random rows.
    """
    import torch

    dimensions = pretrained.matrix.shape[1]
    generator = np.random.default_rng(seed)
    rows = generator.normal(scale=0.1, size=(len(words) + FIRST_WORD, dimensions)).astype(np.float32)
    known = [
        (number, pretrained.index[word])
        for number, word in enumerate(words, start=FIRST_WORD)
        if word in pretrained
    ]
    here, there = np.array(known, dtype=np.intp).reshape(-1, 2).T
    rows[here] = pretrained.matrix[there]
    rows[PAD] = 0
    return torch.from_numpy(rows)
