"""Support vector machines, trained by stochastic gradient descent on the hinge loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.victims._softmax import softmax
from unfool.zoo.classical._dictionary import Documents, Ids
from unfool.zoo.classical._features import Arrays, Features

_TEMPERATURES = 2.0 ** np.arange(-4, 8.25, 0.25)


@dataclass(frozen=True, eq=False)
class SupportVectors:
    """Linear in its features; one against the rest where there are more than two classes.

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
