"""The first weights of a front: drawn at random, or pretrained."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unfool.training import seeded
from unfool.zoo.encoders import FIRST_WORD, PAD, NetEncoder, WordVocabulary

if TYPE_CHECKING:
    from torch import Tensor

    from unfool.lexicon import Vectors
    from unfool.zoo._catalogue import NetRecipe
    from unfool.zoo.fronts import Front

_SPREAD = 0.1


def first_front(recipe: NetRecipe, encoder: NetEncoder, seed: int, *, progress: bool = True) -> Front:
    """Make the front of a net that is to be trained.

    Args:
        recipe: What the net is made of.
        encoder: How it reads texts.
        seed: Draws what is not pretrained.
        progress: Whether to show a bar while word vectors are made.
    """
    import torch

    from unfool.zoo.fronts import make_front

    if recipe.vectors == "elmo":
        from unfool.zoo.fronts.elmo import pretrained

        return pretrained()
    frozen = recipe.frozen and recipe.vectors != "random"
    with seeded(seed):
        front = make_front(recipe.front, rows=len(encoder), dimensions=recipe.dimensions, frozen=frozen)
        with torch.no_grad():
            if recipe.vectors == "random":
                front.table.weight.normal_(std=_SPREAD)[PAD] = 0
            else:
                assert isinstance(encoder, WordVocabulary)
                known = _pretrained(recipe, encoder.words, progress)
                front.table.weight.copy_(first_vectors(encoder.words, known, seed=seed))
    return front


def _pretrained(recipe: NetRecipe, words: Sequence[str], progress: bool) -> Vectors:
    if recipe.vectors == "glove":
        from unfool.lexicon import glove

        return glove(recipe.dimensions)
    assert recipe.vectors in ("w2vec", "fasttext")
    from unfool.zoo.word_vectors import word_vectors

    return word_vectors(recipe.vectors, words, progress=progress)


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
    rows = generator.normal(scale=_SPREAD, size=(len(words) + FIRST_WORD, dimensions)).astype(np.float32)
    known = [
        (number, pretrained.index[word])
        for number, word in enumerate(words, start=FIRST_WORD)
        if word in pretrained
    ]
    here, there = np.array(known, dtype=np.intp).reshape(-1, 2).T
    rows[here] = pretrained.matrix[there]
    rows[PAD] = 0
    return torch.from_numpy(rows)


def digest(front: Front) -> str:
    """Return a fingerprint of a front's frozen weights, by which they are known again."""
    seen = hashlib.blake2b(digest_size=16)
    for name, weight in front.named_parameters():
        if not weight.requires_grad:
            seen.update(name.encode())
            seen.update(weight.detach().cpu().contiguous().numpy().tobytes())
    return seen.hexdigest()
