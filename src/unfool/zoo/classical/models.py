"""The classical models: Naive Bayes, and support vector machines over four kinds of features."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.stats import softmax
from unfool.zoo.classical.dictionary import Dictionary, Documents, Ids

_PART = 512
"""Texts whose dense features are made at a time."""
CONCATENATED_WORDS = 250
_SKETCH_SIZE = 4096

Matrix = NDArray[np.float32]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    """Every word a draw from its class's dictionary, every class as likely as the others beforehand.

    Attributes:
        log_phi: [classes, words]: the logarithm of (1 + how often the class's texts have the word) / (words in the
            dictionary + words in the class's texts).
    """

    log_phi: NDArray[np.float64]

    @classmethod
    def fit(cls, documents: Documents, labels: Ids, classes: int, words: int) -> NaiveBayes:
        """Count words; ``words`` is the size of the dictionary."""
        of_words = labels[documents.owners]
        counts = np.stack([np.bincount(documents.ids[of_words == k], minlength=words) for k in range(classes)])
        return cls(np.log((1 + counts) / (words + counts.sum(axis=1, keepdims=True))))

    def scores(self, documents: Documents) -> NDArray[np.float64]:
        """Return log sums, [texts, classes].

        Equal ones, as for a text without words, are a tie, which is nobody's success. The paper gives a tie to the
        lower class number.
        """
        return documents.sums(self.log_phi)

    def sway(self, label: int) -> NDArray[np.float64]:
        """Return for each word the log of its φ in a class over its largest φ in another."""
        others = np.delete(self.log_phi, label, axis=0).max(axis=0)
        return np.asarray(self.log_phi[label] - others)

    @property
    def arrays(self) -> Arrays:
        """What to keep of it."""
        return {"log_phi": self.log_phi}


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
        ids = np.zeros((len(documents), CONCATENATED_WORDS), dtype=np.int64)
        places = np.arange(len(documents.ids)) - documents.starts[documents.owners]
        kept = places < CONCATENATED_WORDS
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


_TEMPERATURES = 2.0 ** np.arange(-4, 8.25, 0.25)


@dataclass(frozen=True, eq=False)
class SupportVectors:
    """A linear classifier of its features; with more than two classes, one against the rest each.

    Attributes:
        features: What it sees of a text.
        weights: [1 or classes, features]; one row, for the second of two classes.
        bias: One number a row of weights.
        temperature: What margins are divided by before they are read as the logits of probabilities.
    """

    features: Features
    weights: NDArray[np.float64]
    bias: NDArray[np.float64]
    temperature: float = 1.0

    @classmethod
    def fit(
        cls, features: Features, train: tuple[Documents, Ids], validation: tuple[Documents, Ids], seed: int
    ) -> SupportVectors:
        """Train, then choose the temperature.

        The weights are the mean over all steps: those of the last step alone, with counts as features, are right
        for some two IMDB reviews in a hundred fewer, and a seed may cost one more.
        """
        machine = fitted_machine(features, *train, seed)
        raw = cls(features, machine.coef_.astype(np.float64), machine.intercept_.astype(np.float64))
        documents, labels = validation
        best = _temperature(raw.scores(documents), labels)
        return cls(features, raw.weights, raw.bias, best)

    def margins(self, documents: Documents) -> NDArray[np.float64]:
        """Return the distances scikit-learn's ``decision_function`` gives, [texts, rows of weights]."""
        return self.features.products(documents, self.weights) + self.bias

    def scores(self, documents: Documents) -> NDArray[np.float64]:
        """Return logits, [texts, classes]: margins over the temperature.

        Their softmax keeps the order of margins. The temperature is the one whose log loss on the validation
        texts is least, as margins of word counts reach dozens: their own softmax would be 1 in all digits, and
        no attack could tell a step forward from one back.
        """
        margins = self.margins(documents) / self.temperature
        return np.hstack([np.zeros_like(margins), margins]) if len(self.weights) == 1 else margins

    @property
    def arrays(self) -> Arrays:
        """What to keep of it."""
        temperature = np.array([self.temperature])
        return {"weights": self.weights, "bias": self.bias, "temperature": temperature, **self.features.arrays}


def fitted_machine(features: Features, documents: Documents, labels: Ids, seed: int) -> Any:
    """Return scikit-learn's classifier, trained."""
    from sklearn.linear_model import SGDClassifier

    machine = SGDClassifier(loss="hinge", alpha=1e-4, average=True, random_state=seed)
    return machine.fit(features.matrix(documents), labels)


def _temperature(scores: NDArray[np.float64], labels: Ids) -> float:
    rows = np.arange(len(labels))
    losses = [-np.log(np.maximum(softmax(scores / t)[rows, labels], 1e-300)).mean() for t in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])
