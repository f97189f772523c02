"""Classical models as victims: trained into folders, and loaded from them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.errors import UserError, did_you_mean, first_line, not_installed
from unfool.stats import softmax
from unfool.text import Sample
from unfool.training import Accuracy, Splits, TrainingReport
from unfool.victims import Input, TextVictim, fingerprint
from unfool.zoo.classical.dictionary import Dictionary, Documents, Ids, glove_dictionary
from unfool.zoo.classical.models import NaiveBayes, PolynomialSketch, SupportVectors, features
from unfool.zoo.store import shapes


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
    """Naive Bayes; it also offers the weight of each word."""

    model: NaiveBayes

    def sway_of(self, words: Sequence[str], label: int) -> NDArray[np.float64]:
        """Return how strongly each of some words speaks for a class; minus infinity for what is no word."""
        documents = self._dictionary.read(words)
        sway = np.full(len(words), -np.inf)
        sway[documents.owners] = NaiveBayes(self.model.log_phi[:, documents.ids]).sway(label)
        return sway

    def strongest(self, label: int, count: int, *, against: bool = False) -> list[str]:
        """Return the words that sway most towards a class, or away from it; equal ones in alphabetical order."""
        sway = -self.model.sway(label) if against else self.model.sway(label)
        least = np.partition(sway, -count)[-count]
        able = sorted(np.flatnonzero(sway >= least).tolist(), key=lambda j: (-sway[j], self.vocabulary[j]))
        return [self.vocabulary[j] for j in able[:count]]


_WEIGHTS, _CONFIG = "model.safetensors", "config.json"
NAMES = ("NB", "SVM-Linear", "SVM-Poly", "SVM-Mean", "SVM-Concat")


def train(name: str, splits: Splits, folder: Path, seed: int, *, data: str) -> None:
    """Train one of `NAMES` and write it into an empty folder.

    The seed orders the steps of the SVMs and draws the hashes of ``SVM-Poly``; Naive Bayes draws nothing.
    """
    from safetensors.numpy import save_file

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
    judged = _accuracy(model, validation)
    if name == "NB" and splits.held_out:
        # Nothing was chosen by the samples held out: once it is judged by them, it counts their words, too.
        model = NaiveBayes.fit(*_read(dictionary, [*splits.train, *splits.validation]), classes, len(dictionary))
    seconds = time.perf_counter() - started
    test = _accuracy(model, _read(dictionary, splits.test)) if splits.test else None
    described = {
        "classical": name,
        # The dictionary, a resource of its own, is only named.
        "dictionary": {"name": "glove-6b-50d", "words": len(dictionary), "sha256": dictionary.sha256},
        "labels": splits.labels,
        "training": TrainingReport(data, splits.fingerprint, seed, seconds, judged, test).to_json(),
    }
    save_file(model.arrays, folder / _WEIGHTS)
    (folder / _CONFIG).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


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
        raise not_installed(f"training {name} needs scikit-learn", "sklearn") from None
    drawn = PolynomialSketch.draw(len(dictionary), seed).arrays if name == "SVM-Poly" else {}
    return SupportVectors.fit(features(name, dictionary, drawn), training, validation, seed)


def _read(dictionary: Dictionary, samples: Sequence[Sample]) -> tuple[Documents, Ids]:
    if any(len(sample.text.fields) > 1 for sample in samples):
        raise UserError("the classical models read one text, not a pair; use a data set of one field")
    documents = dictionary.read(sample.text.strings[0] for sample in samples)
    return documents, np.array([sample.label for sample in samples], dtype=np.int64)


def _accuracy(model: NaiveBayes | SupportVectors, read: tuple[Documents, Ids]) -> Accuracy:
    documents, labels = read
    right = model.scores(documents).argmax(axis=1) == labels
    return Accuracy(float(right.mean()), len(labels))


def check(described: Mapping[str, Any], tensors: Mapping[str, tuple[int, ...]], kind: str) -> None:
    """Refuse a description and shapes of weights from which no classical model of this kind could be made.

    What is raised may be of any kind, as the description may hold anything.
    """
    classes, words = len(described["labels"]), described["dictionary"]["words"]
    if described["classical"] != kind or not all(isinstance(label, str) for label in described["labels"]):
        raise ValueError(f"it is no {kind}")
    rows = 1 if classes == 2 else classes
    wanted = {"log_phi": (classes, words)} if kind == "NB" else {"bias": (rows,), "temperature": (1,)}
    for name, shape in wanted.items():
        if tensors[name] != shape:
            raise ValueError(f"{name} has the shape {tensors[name]}, not {shape}")
    if kind != "NB" and (len(tensors["weights"]) != 2 or tensors["weights"][0] != rows):
        raise ValueError(f"weights have the shape {tensors['weights']}")


def load(folder: Path | str, name: str | None = None) -> ClassicalVictim:
    """Load a trained model as a victim; without a name it goes by ``zoo:`` and the folder."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    place = Path(folder).expanduser()
    for file in (_CONFIG, _WEIGHTS):
        if not (place / file).is_file():
            raise UserError(f"{place} is not a complete classical model: {file} is missing; train it again")
    called, dictionary = name or f"zoo:{place}", glove_dictionary()
    victim: ClassicalVictim
    try:
        described = json.loads((place / _CONFIG).read_text(encoding="utf-8"))
        arrays = load_file(place / _WEIGHTS)
        kind, labels = described["classical"], tuple(described["labels"])
        check(described, shapes(place / _WEIGHTS), kind)
        if described["dictionary"]["sha256"] != dictionary.sha256:
            raise ValueError("it was trained with another dictionary")
        if kind == "NB":
            victim = NaiveBayesVictim(NaiveBayes(arrays["log_phi"]), dictionary, labels, called)
        else:
            seen = features(kind, dictionary, arrays)
            machine = SupportVectors(seen, arrays["weights"], arrays["bias"], float(arrays["temperature"][0]))
            victim = ClassicalVictim(machine, dictionary, labels, called)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, SafetensorError) as error:
        raise UserError(
            f"the classical model in {place} is damaged ({first_line(error)}); train it again"
        ) from error
    victim.fingerprint = fingerprint(place)
    return victim
