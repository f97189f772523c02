"""Training of the classical models, from a data set's splits into a folder."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from unfool.errors import UserError, did_you_mean
from unfool.text import Sample
from unfool.training import Splits
from unfool.zoo.classical._naive_bayes import NaiveBayes
from unfool.zoo.classical._victim import write
from unfool.zoo.classical.dictionary import Dictionary, Documents, Ids, glove_dictionary
from unfool.zoo.classical.svm import PolynomialSketch, SupportVectors, features

NAMES = ("NB", "SVM-Linear", "SVM-Poly", "SVM-Mean", "SVM-Concat")


def train(name: str, splits: Splits, folder: Path, seed: int, *, data: str) -> None:
    """Train a model and write it into an empty folder.

    Args:
        name: One of `NAMES`.
        splits: The texts to train, scale and judge it on.
        folder: An empty folder.
        seed: Orders the steps of the SVMs and draws the hashes of ``SVM-Poly``; Naive Bayes draws nothing.
        data: The name of the data set, for the record.

    Raises:
        UserError: If there is no such model, the texts are pairs, a class has no training text, or scikit-learn is
            not installed.
    """
    if name not in NAMES:
        raise UserError(f"there is no classical model {name!r}{did_you_mean(name, NAMES)}")
    started = time.perf_counter()
    dictionary, classes = glove_dictionary(), len(splits.labels)
    training, validation = _read(dictionary, splits.train), _read(dictionary, splits.validation)
    missing = [label for k, label in enumerate(splits.labels) if not (training[1] == k).any()]
    if missing or not splits.validation:
        lacks = f"no training text of {', '.join(map(repr, missing))}" if missing else "no validation text"
        raise UserError(f"cannot train {name} on {data}: there is {lacks}")
    model = _fit(name, dictionary, training, validation, classes, seed)
    judged = _accuracy(model, *validation)
    if name == "NB" and splits.held_out:
        # Nothing was chosen by the samples held out: once it is judged by them, it counts their words, too.
        model = NaiveBayes.fit(*_read(dictionary, [*splits.train, *splits.validation]), classes, len(dictionary))
    told = {
        "data": data,
        "fingerprint": splits.fingerprint,
        "seed": seed,
        "seconds": round(time.perf_counter() - started, 1),
        "validation": judged,
    }
    if splits.test:
        told["test"] = _accuracy(model, *_read(dictionary, splits.test))
    write(folder, name, model, dictionary, splits.labels, told)


def _fit(
    name: str,
    dictionary: Dictionary,
    training: tuple[Documents, Ids],
    validation: tuple[Documents, Ids],
    classes: int,
    seed: int,
) -> NaiveBayes | SupportVectors:
    if name == "NB":
        return NaiveBayes.fit(*training, classes, len(dictionary))
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise UserError(f"training {name} needs scikit-learn: pip install 'unfool[sklearn]'") from None
    drawn = PolynomialSketch.draw(len(dictionary), seed).arrays if name == "SVM-Poly" else {}
    return SupportVectors.fit(features(name, dictionary, drawn), training, validation, seed)


def _read(dictionary: Dictionary, samples: Sequence[Sample]) -> tuple[Documents, Ids]:
    if any(len(sample.text.fields) > 1 for sample in samples):
        raise UserError("the classical models read one text, not a pair; use a data set of one field")
    documents = dictionary.read(sample.text.strings[0] for sample in samples)
    return documents, np.array([sample.label for sample in samples], dtype=np.int64)


def _accuracy(model: NaiveBayes | SupportVectors, documents: Documents, labels: Ids) -> dict[str, float]:
    right = model.scores(documents).argmax(axis=1) == labels
    return {"share": float(right.mean()), "n": len(labels)}
