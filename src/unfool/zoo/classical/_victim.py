"""Classical models as victims."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unfool.errors import UserError
from unfool.victims import Input, TextVictim
from unfool.victims._softmax import softmax
from unfool.zoo.classical._dictionary import Dictionary
from unfool.zoo.classical._naive_bayes import NaiveBayes
from unfool.zoo.classical._svm import SupportVectors


class ClassicalVictim(TextVictim):
    """A classical model with its dictionary, asked with strings.

    Its probabilities are the softmax of log sums (Naive Bayes) or of margins (support vector machines); the latter
    have the order of probabilities, no more.

    Attributes:
        model: The trained model.
        vocabulary: The words of the dictionary, one a column of the bag-of-words models' weights.
    """

    fingerprint: str | None = None

    def __init__(
        self, model: NaiveBayes | SupportVectors, dictionary: Dictionary, labels: tuple[str, ...], name: str
    ) -> None:
        self.model, self.labels, self._dictionary, self._name = model, labels, dictionary, name
        self.vocabulary = dictionary.words

    def __repr__(self) -> str:
        return self._name

    def probabilities(self, inputs: Sequence[Input]) -> NDArray[np.float64]:
        """Return class probabilities, one row a text."""
        if any(len(strings) != 1 for strings in inputs):
            raise UserError(f"{self._name} reads one text, and the samples are pairs; use a data set of one field")
        return softmax(self.model.scores(self._dictionary.read(strings[0] for strings in inputs)))


class NaiveBayesVictim(ClassicalVictim):
    """Naive Bayes, which tells what each word is worth."""

    model: NaiveBayes

    @property
    def weights(self) -> NDArray[np.float64]:
        """Logarithms of φ, [classes, words of the vocabulary]."""
        return self.model.log_phi

    def sway(self, label: int) -> NDArray[np.float64]:
        """Return how strongly each word of the vocabulary speaks for a class; see `NaiveBayes.sway`."""
        return self.model.sway(label)

    def sway_of(self, words: Sequence[str], label: int) -> NDArray[np.float64]:
        """Return how strongly each of some words speaks for a class; minus infinity for what is no word."""
        documents = self._dictionary.read(words)
        sway = np.full(len(words), -np.inf)
        sway[documents.owners] = NaiveBayes(self.weights[:, documents.ids]).sway(label)
        return sway

    def strongest(self, label: int, count: int, *, against: bool = False) -> list[str]:
        """Return the words that sway most towards a class, or away from it; equal ones in alphabetical order."""
        sway = -self.sway(label) if against else self.sway(label)
        least = np.partition(sway, -count)[-count]
        able = sorted(np.flatnonzero(sway >= least).tolist(), key=lambda j: (-sway[j], self.vocabulary[j]))
        return [self.vocabulary[j] for j in able[:count]]
