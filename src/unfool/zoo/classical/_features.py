"""What a support vector machine sees of a text: a matrix to train on, and its product with weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.zoo.classical._dictionary import Dictionary, Documents

_PART = 512
"""Texts whose dense features are made at a time."""
_CONCATENATED_WORDS = 250
_SKETCH_SIZE = 4096

Matrix = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]


class Features(ABC):
    """A map from texts to numbers."""

    @abstractmethod
    def matrix(self, documents: Documents) -> Any:
        """Return one row a text, as scikit-learn takes it."""

    @abstractmethod
    def products(self, documents: Documents, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the features times the transposed weights, [texts, rows of weights]."""

    @property
    def arrays(self) -> Arrays:
        """What to keep of it beside the weights."""
        return {}


@dataclass(frozen=True, eq=False)
class BagOfWords(Features):
    """How often a text has each word of the dictionary."""

    words: int

    def matrix(self, documents: Documents) -> Any:
        """Return counts as a sparse matrix."""
        from scipy.sparse import csr_matrix

        ones = np.ones(len(documents.ids))
        counts = csr_matrix((ones, documents.ids, documents.starts), shape=(len(documents), self.words))
        counts.sum_duplicates()
        return counts

    def products(self, documents: Documents, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up the weights of a text's words."""
        return documents.sums(weights)


class DenseFeatures(Features):
    """Features few enough to be written out; a subclass gives `part`."""

    @abstractmethod
    def part(self, documents: Documents) -> Matrix:
        """Return the features of some texts."""

    def matrix(self, documents: Documents) -> Matrix:
        """Return all features."""
        return np.concatenate([self.part(part) for part in documents.parts(_PART)])

    def products(self, documents: Documents, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply a part of the texts at a time."""
        made = [self.part(part).astype(np.float64) @ weights.T for part in documents.parts(_PART)]
        return np.concatenate(made) if made else np.empty((0, len(weights)))


@dataclass(frozen=True, eq=False)
class MeanVector(DenseFeatures):
    """The mean of a text's word vectors; zeros for a text without words."""

    vectors: Matrix

    def part(self, documents: Documents) -> Matrix:
        """Return one mean a text."""
        found = self.vectors[documents.ids].astype(np.float64)
        sums = np.stack([np.bincount(documents.owners, column, len(documents)) for column in found.T], axis=1)
        return (sums / np.maximum(documents.lengths, 1)[:, None]).astype(np.float32)

    def products(self, documents: Documents, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean of the words' own products: no text's vector is made."""
        words, ids = np.unique(documents.ids, return_inverse=True)
        worth = weights @ self.vectors[words].astype(np.float64).T
        sums = Documents(ids, documents.starts).sums(worth)
        return sums / np.maximum(documents.lengths, 1)[:, None]


@dataclass(frozen=True, eq=False)
class ConcatenatedVectors(DenseFeatures):
    """The vectors of the first 250 words end to end; the first word of the dictionary fills up, as in the paper."""

    vectors: Matrix

    def part(self, documents: Documents) -> Matrix:
        """Return one long row a text."""
        ids = np.zeros((len(documents), _CONCATENATED_WORDS), dtype=np.int64)
        places = np.arange(len(documents.ids)) - documents.starts[documents.owners]
        kept = places < _CONCATENATED_WORDS
        ids[documents.owners[kept], places[kept]] = documents.ids[kept]
        return self.vectors[ids].reshape(len(documents), -1)


@dataclass(frozen=True, eq=False)
class PolynomialSketch(DenseFeatures):
    """A count sketch whose inner products are about (x·y + 1)², with x and y counts scaled to unit length.

    Written out, the 400,000² features of that kernel fit nowhere. The hashes are those of scikit-learn's
    `PolynomialCountSketch`; its transform, which walks over all words for every text, would take minutes.

    Attributes:
        buckets: [2, words + 1]: where each word, and the constant 1 behind them, is added.
        signs: [2, words + 1]: with which sign.
    """

    buckets: NDArray[np.int16]
    signs: NDArray[np.int8]
    size: int = _SKETCH_SIZE

    @classmethod
    def draw(cls, words: int, seed: int) -> PolynomialSketch:
        """Draw the hashes."""
        from scipy.sparse import csr_matrix
        from sklearn.kernel_approximation import PolynomialCountSketch

        sketch = PolynomialCountSketch(degree=2, coef0=1, n_components=_SKETCH_SIZE, random_state=seed)
        sketch.fit(csr_matrix((1, words)))
        return cls(sketch.indexHash_.astype(np.int16), sketch.bitHash_.astype(np.int8))

    def part(self, documents: Documents) -> Matrix:
        """Convolve the two sketches of each text."""
        scale = 1 / np.maximum(_count_norms(documents, self.buckets.shape[1]), 1)[documents.owners]
        spectra: NDArray[np.complex128] = np.ones((1, 1), dtype=np.complex128)
        for buckets, signs in zip(self.buckets, self.signs, strict=True):
            cells = documents.owners * self.size + buckets[documents.ids]
            sketch = np.bincount(cells, signs[documents.ids] * scale, len(documents) * self.size)
            sketch = sketch.reshape(len(documents), self.size)
            sketch[:, buckets[-1]] += signs[-1]
            spectra = spectra * np.fft.rfft(sketch, axis=1)
        return np.fft.irfft(spectra, n=self.size, axis=1).astype(np.float32)

    @property
    def arrays(self) -> Arrays:
        """The hashes."""
        return {"buckets": self.buckets, "signs": self.signs}


def _count_norms(documents: Documents, words: int) -> NDArray[np.float64]:
    pairs, counts = np.unique(documents.owners * words + documents.ids, return_counts=True)
    return np.sqrt(np.bincount(pairs // words, np.square(counts), len(documents)))


def features(name: str, dictionary: Dictionary, arrays: Arrays) -> Features:
    """Return the features of a model; ``arrays`` holds what was kept of them."""
    if name == "SVM-Linear":
        return BagOfWords(len(dictionary))
    if name == "SVM-Mean":
        return MeanVector(dictionary.vectors)
    if name == "SVM-Concat":
        return ConcatenatedVectors(dictionary.vectors)
    return PolynomialSketch(arrays["buckets"], arrays["signs"])
