"""Models that nobody here trained, as their users would hand them to unfool: functions from texts to answers.

Nothing in this file comes from unfool, so that what asks them here is independent of it. Each function names its
package in `PACKAGES`. `verdict` asks the same package about one text by its own main entrance, for its label alone.
Every text a function is asked about goes into the file that ``STRANGERS_ASKED`` names, one line of JSON a call.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any

PACKAGES = {
    "vader": "vaderSentiment",
    "promptscan_cnn": "promptscan==0.1.3",
    "promptscan_lstm": "promptscan==0.1.3",
    "cloneguard": "cloneguard==0.6.0 onnxruntime",
    "profanity": "alt-profanity-check",
    "languages": "py3langid",
    "chinese": "snownlp",
    "spacy_textcat": "spacy",
}
"""What to install for each function."""
LABELS = {
    "vader": ("negative", "positive"),
    "promptscan_cnn": ("safe", "injection"),
    "cloneguard": ("safe", "injection"),
    "profanity": ("clean", "profane"),
    "chinese": ("negative", "positive"),
    "spacy_textcat": ("neg", "pos"),
}
"""The labels of each function that does not name them in its answers."""


def counted(function: Callable[[list[str]], Any]) -> Callable[[list[str]], Any]:
    """Write down what the function is asked, and name its labels."""

    @wraps(function)
    def counting(texts: list[str]) -> Any:
        if file := os.environ.get("STRANGERS_ASKED"):
            with open(file, "a", encoding="utf-8") as asked:
                asked.write(json.dumps(texts) + "\n")
        return function(texts)

    if function.__name__ in LABELS:
        counting.labels = LABELS[function.__name__]  # type: ignore[attr-defined]
    return counting


def verdict(name: str, text: str) -> str | None:
    """Return the label a package gives to a text when it is asked alone; None where two are equal."""
    return _VERDICTS[name](text)


@counted
def vader(texts: list[str]) -> list[list[float]]:
    """Two probabilities a text."""
    shares = [(1 + _vader().polarity_scores(text)["compound"]) / 2 for text in texts]
    return [[1 - share, share] for share in shares]


@counted
def promptscan_cnn(texts: list[str]) -> list[list[float]]:
    """The package's own batches, which are loops."""
    return [answer["probabilities"] for answer in _promptscan("cnn").predict_batch(texts)]


@counted
def promptscan_lstm(texts: list[str]) -> list[list[dict[str, Any]]]:
    """What a Hugging Face pipeline tells."""
    answers = _promptscan("lstm").predict_batch(texts)
    return [
        [
            {"label": label, "score": p}
            for label, p in zip(("SAFE", "INJECTION"), answer["probabilities"], strict=True)
        ]
        for answer in answers
    ]


@counted
def cloneguard(texts: list[str]) -> Any:
    """All texts of a call through ONNX at once, padded to 256 tokens: the more, the more memory."""
    import numpy as np

    guard = cloneguard_classifier()
    tokens = guard._tokenizer(
        list(texts), return_tensors="np", truncation=True, max_length=256, padding="max_length"
    )
    given = {name: tokens[name] for name in ("input_ids", "attention_mask")}
    logits = guard._session.run(None, given)[0]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


@counted
def profanity(texts: list[str]) -> Any:
    """An array of one probability a text."""
    from profanity_check import predict_prob

    return predict_prob(texts)


@counted
def languages(texts: list[str]) -> list[list[dict[str, Any]]]:
    """A score for each of 140 languages, best first, as a Hugging Face pipeline tells them."""
    return [[{"label": code, "score": score} for code, score in _langid().rank(text)] for text in texts]


@counted
def chinese(texts: list[str]) -> list[float]:
    """One probability a text, as Python's float."""
    from snownlp import SnowNLP

    return [SnowNLP(text).sentiments if text.strip() else 0.5 for text in texts]


@counted
def spacy_textcat(texts: list[str]) -> list[list[float]]:
    """What the text categorizer of a pipeline thinks of each label."""
    return [[doc.cats[label] for label in LABELS["spacy_textcat"]] for doc in _spacy().pipe(texts)]


def train_spacy(rows: Sequence[tuple[str, str]], folder: str) -> None:
    """Train a small text categorizer on (text, label) rows and keep it in a folder."""
    import spacy
    from spacy.training import Example

    nlp = spacy.blank("en")
    categorizer: Any = nlp.add_pipe("textcat")
    for label in LABELS["spacy_textcat"]:
        categorizer.add_label(label)
    examples = [
        Example.from_dict(nlp.make_doc(text), {"cats": {name: float(name == label) for name in categorizer.labels}})
        for text, label in rows
    ]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(4):
        for start in range(0, len(examples), 32):
            nlp.update(examples[start : start + 32], sgd=optimizer)
    nlp.to_disk(folder)


@cache
def _vader() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


@cache
def _promptscan(kind: str) -> Any:
    from promptscan.unified_detector import UnifiedDetector

    return UnifiedDetector(kind)


@cache
def cloneguard_classifier() -> Any:
    from cloneguard.mini_semantic import MiniSemanticClassifier

    guard = MiniSemanticClassifier()
    assert guard.available, "cloneguard's model cannot be opened: is onnxruntime installed?"
    return guard


@cache
def _langid() -> Any:
    from py3langid import langid

    return langid._load_identifier(norm_probs=True)


@cache
def _spacy() -> Any:
    import spacy

    return spacy.load(os.environ["STRANGERS_SPACY"])


def _vader_says(text: str) -> str | None:
    compound = _vader().polarity_scores(text)["compound"]
    return None if compound == 0 else LABELS["vader"][compound > 0]


def _cloneguard_says(text: str, mode: str = "STRICT") -> str:
    from cloneguard.patterns import ScanMode

    answer = cloneguard_classifier().classify(text, mode=ScanMode[mode], _apply_mahalanobis=False)
    return "safe" if answer.verdict == "SAFE" else "injection"


def _profanity_says(text: str) -> str:
    from profanity_check import predict

    return LABELS["profanity"][int(predict([text])[0])]


def _chinese_says(text: str) -> str | None:
    from snownlp import sentiment

    share = sentiment.classify(text)
    return None if share == 0.5 else LABELS["chinese"][share > 0.5]


def _spacy_says(text: str) -> str:
    cats = _spacy()(text).cats
    return str(max(cats, key=cats.__getitem__))


_VERDICTS: dict[str, Callable[[str], str | None]] = {
    "vader": _vader_says,
    "promptscan_cnn": lambda text: _promptscan("cnn").predict(text)["prediction"].lower(),
    "promptscan_lstm": lambda text: _promptscan("lstm").predict(text)["prediction"].lower(),
    "cloneguard": _cloneguard_says,
    "cloneguard at 0.65": lambda text: _cloneguard_says(text, "STANDARD"),
    "profanity": _profanity_says,
    "languages": lambda text: str(_langid().classify(text)[0]),
    "chinese": _chinese_says,
    "spacy_textcat": _spacy_says,
}
