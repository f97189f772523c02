"""Multinomial Naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unfool.zoo.classical.dictionary import Documents, Ids


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
    def arrays(self) -> dict[str, NDArray[np.float64]]:
        """What to keep of it."""
        return {"log_phi": self.log_phi}
