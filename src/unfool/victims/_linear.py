"""Linear models of word counts: a change of some words moves the scores by what these words add to them.

A text's score is the sum of what its words weigh, divided by the length of its vector. Sum and length are worked
out once a base; a variant's are its base's, less the words that go, and the words that come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats
from unfool.stats import softmax
from unfool.victims.tokens import UnitRows, UnitStore, stretches

Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]


class Weighing(NamedTuple):
    """What a vectorizer makes of counts."""

    binary: bool
    sublinear: bool
    idf: Reals | None
    """By feature."""
    norm: str | None


class Linear:
    """A linear classifier of single words, whose scores are those of scikit-learn but for the last bits.

    Args:
        features: The feature of each word by its number, -1 for none; the last stands for all words unknown.
        weighing: What is made of counts.
        weights: Of the model, [features, classes], or one column for the second of two.
        bias: One a column.
    """

    def __init__(self, features: Numbers, weighing: Weighing, weights: Reals, bias: Reals) -> None:
        self._features, self._weighing = features, weighing
        self._weights, self._bias = weights, bias

    def probabilities(self, rows: UnitRows, chosen: NDArray[np.intp], store: UnitStore) -> Floats:
        """Return what the model says of some rows."""
        used, base = np.unique(rows.which[chosen], return_inverse=True)
        widths = rows.widths[used]
        units = rows.flat[stretches(rows.starts[used], widths)]
        found = self._found(units, np.repeat(np.arange(len(used)), widths), store)
        keys, counts = np.unique(found, return_counts=True)
        totals = self._summed(keys // len(self._weights), self._terms(keys, counts), len(used))[base]
        totals += self._moved(rows, chosen, base, keys, counts, store)
        # What is left of sums of which all is taken off is noise.
        totals[totals[:, -1] < 0.5] = 0
        scores = totals[:, :-2] / self._lengths(totals[:, -2])[:, None] + self._bias
        if scores.shape[1] == 1:  # softmax of (0, s) is the sigmoid of s
            scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
        return softmax(scores).astype(np.float32)

    def _moved(
        self,
        rows: UnitRows,
        chosen: NDArray[np.intp],
        base: NDArray[np.intp],
        keys: Numbers,
        counts: Numbers,
        store: UnitStore,
    ) -> Reals:
        """Return by how much each row's totals differ from its base's, of which the counts are given."""
        changed = np.flatnonzero(rows.place[chosen] >= 0)
        which = chosen[changed]
        old = rows.flat[rows.starts[rows.which[which]] + rows.place[which]]
        gone, come = (self._found(units, changed, store) for units in (old, rows.new[which]))
        moved, inverse = np.unique(np.concatenate([gone, come]), return_inverse=True)
        more = np.bincount(inverse[len(gone) :], minlength=len(moved))
        more -= np.bincount(inverse[: len(gone)], minlength=len(moved))
        row, feature = np.divmod(moved, len(self._weights))
        wanted = base[row] * len(self._weights) + feature
        at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        had = np.where(keys[at] == wanted, counts[at], 0) if len(keys) else np.zeros_like(more)
        return self._summed(row, self._terms(moved, had + more) - self._terms(moved, had), len(chosen))

    def _found(self, units: Numbers, owners: NDArray[np.intp], store: UnitStore) -> Numbers:
        """Return the features in some units, each as one number with its owner."""
        counts = store.counts[units]
        words = store.tokens[stretches(store.starts[units], counts)]
        feature = self._features[np.minimum(words, len(self._features) - 1)]
        return (np.repeat(owners, counts) * len(self._weights) + feature)[feature >= 0]

    def _terms(self, keys: Numbers, counts: Numbers) -> Reals:
        """Return what features that stand there so often add: to each score, to the length, to their number."""
        feature, there = keys % len(self._weights), counts > 0
        weighing = self._weighing
        values = (there if weighing.binary else counts).astype(np.float64)
        if weighing.sublinear:
            values = np.where(there, np.log(np.maximum(values, 1)) + 1, 0)
        if weighing.idf is not None:
            values *= weighing.idf[feature]
        lengths = values**2 if weighing.norm == "l2" else np.abs(values)
        return np.column_stack([values[:, None] * self._weights[feature], lengths, there])

    def _lengths(self, sums: Reals) -> Reals:
        """Return by what each text's scores are divided."""
        if self._weighing.norm is None:
            return np.ones_like(sums)
        lengths = np.sqrt(sums) if self._weighing.norm == "l2" else sums
        return np.where(sums > 0, lengths, 1)

    def _summed(self, owners: Numbers, terms: Reals, count: int) -> Reals:
        sums = [np.bincount(owners, column, minlength=count) for column in terms.T]
        return np.stack(sums, axis=1).astype(np.float64)


def linear(pipeline: Any, features: Numbers | None) -> Linear | None:
    """Return a linear model on word counts, or None where a pipeline is no such thing as far as is known.

    Args:
        pipeline: A vectorizer of scikit-learn, perhaps what weighs its counts, and a classifier; all fitted.
        features: The feature of each word, as `Linear` takes them; None where it has others.
    """
    *steps, model = (step for _, step in pipeline.steps)
    weighing = _weighing(steps)
    if features is None or weighing is None or not _is_linear(model):
        return None
    weights = np.ascontiguousarray(np.atleast_2d(model.coef_).T)
    return Linear(features, weighing, weights, np.atleast_1d(model.intercept_))


def _weighing(steps: Sequence[Any]) -> Weighing | None:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer

    first, last = steps[0], steps[-1]
    if [type(step) for step in steps] == [CountVectorizer]:
        return Weighing(first.binary, False, None, None)
    if [type(step) for step in steps] not in ([TfidfVectorizer], [CountVectorizer, TfidfTransformer]):
        return None
    if last is first and first.dtype != np.float64:
        return None
    return Weighing(first.binary, last.sublinear_tf, last.idf_ if last.use_idf else None, last.norm)


def _is_linear(model: Any) -> bool:
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.svm import LinearSVC

    known = type(model) in (LogisticRegression, RidgeClassifier, LinearSVC)
    return known and isinstance(model.coef_, np.ndarray) and model.coef_.dtype == np.float64
