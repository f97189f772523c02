"""Classical models as victims, and the folders they are kept in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.errors import UserError
from unfool.stats import softmax
from unfool.victims import Input, TextVictim, fingerprint
from unfool.zoo.classical._naive_bayes import NaiveBayes
from unfool.zoo.classical.dictionary import Dictionary, glove_dictionary
from unfool.zoo.classical.svm import SupportVectors, features
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


_WEIGHTS, _CONFIG = "model.safetensors", "config.json"


def write(
    folder: Path,
    kind: str,
    model: NaiveBayes | SupportVectors,
    dictionary: Dictionary,
    labels: tuple[str, ...],
    training: Mapping[str, Any],
) -> None:
    """Write a trained model into an empty folder; the dictionary, a resource of its own, is only named."""
    from safetensors.numpy import save_file

    described = {
        "classical": kind,
        "dictionary": {"name": "glove-6b-50d", "words": len(dictionary), "sha256": dictionary.sha256},
        "labels": labels,
        "training": training,
    }
    save_file(model.arrays, folder / _WEIGHTS)
    (folder / _CONFIG).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def check(described: Mapping[str, Any], tensors: Mapping[str, tuple[int, ...]], kind: str) -> None:
    """Refuse what a classical model could not be made of.

    Args:
        described: Its description.
        tensors: The shapes of its weights.
        kind: Which model it should be.

    Raises:
        ValueError: If it could not; or another error, as the description may hold anything.
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
    """Load a trained model as a victim.

    Args:
        folder: What `train` filled.
        name: The name the victim goes by; ``zoo:`` and the folder if None.

    Raises:
        UserError: If the folder does not hold a whole model.
    """
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
        told = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise UserError(f"the classical model in {place} is damaged ({told}); train it again") from error
    victim.fingerprint = fingerprint(place)
    return victim
