"""Classifiers in five languages, attacked on sentences of `bench/reviews_in_five_languages.csv`.

``python -m bench.languages`` writes ``results/languages.json`` as it goes, and goes on with what is there. In each
language a classifier is trained here: a logistic regression on the universal sentence encoder's vectors, from 36
sentences. Beside it stand models that nobody here trained: a Chinese BERT, which unfool obtains, and those of other
people's packages, which are left out where these are not installed (``pip install textblob-fr
sentiment-analysis-spanish snownlp asari``; asari wants the locale ``en_US.UTF-8``). Chinese and Japanese words are
those of jieba and janome.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import unfool
from bench import strangers
from unfool.data import Dataset, from_texts
from unfool.engine import Budget, Status
from unfool.lexicon.encoders import sentence_encoder

RESULTS = Path(__file__).parents[1] / "results" / "languages.json"
_SENTENCES = Path(__file__).with_name("reviews_in_five_languages.csv")
LANGUAGES = ("German", "French", "Spanish", "Chinese", "Japanese")
_QUERIES = 500
_NEAR = "universal-similarity>=0.84"
_SHOWN = 4
"""Examples kept of an attack on characters; of those on words all are, so that they can be read over."""
_ANY = ("bad-characters:kind=invisible,changes=3", "charmer:edits=5")
_BY_LETTERS = ("deepwordbug", "textbugger:encoder=universal")
_BY_WORDNET = ("pwws",)
_CUTTERS = {"Chinese": "jieba", "Japanese": "janome"}
_KEY = ("language", "victim", "attack", "constrain", "cutter")
ATTACKS = {
    "German": (*_ANY, *_BY_LETTERS),
    "French": (*_ANY, *_BY_LETTERS, *_BY_WORDNET),
    "Spanish": (*_ANY, *_BY_LETTERS, *_BY_WORDNET),
    "Chinese": (*_ANY, *_BY_WORDNET),
    "Japanese": (*_ANY, *_BY_WORDNET),
}


class Victim(NamedTuple):
    """A classifier of one language."""

    name: str
    opened: Callable[[], object]
    package: str = ""
    """The module it needs."""
    part: str = "attack"
    """The sentences it is asked about."""


def victims(language: str) -> Iterator[Victim]:
    """Yield the victims of a language, the one trained here first."""
    yield Victim("trained here", lambda: trained(language))
    if language == "French":
        yield Victim("textblob-fr", lambda: french, "textblob_fr")
    elif language == "Spanish":
        yield Victim("sentiment-analysis-spanish", lambda: spanish, "sentiment_analysis_spanish")
    elif language == "Chinese":
        yield Victim("onnx:chinese-harm", lambda: "onnx:chinese-harm#longest=128", part="messages")
        yield Victim("snownlp", lambda: strangers.chinese, "snownlp")
    elif language == "Japanese":
        yield Victim("asari", lambda: japanese, "asari")


def sentences(language: str, part: str) -> tuple[list[str], list[str]]:
    """Return the texts and the labels of one part: ``train``, ``attack`` or ``messages``."""
    with _SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if (row["language"], row["part"]) == (language, part)]
    return [row["text"] for row in rows], [row["label"] for row in rows]


def trained(language: str) -> Any:
    """Train the classifier of a language: a pipeline of scikit-learn."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    return make_pipeline(FunctionTransformer(_vectors), LogisticRegression(C=10)).fit(*sentences(language, "train"))


def data(language: str, part: str, cutter: str | None = None) -> Dataset:
    """Return the sentences of one part as data."""
    return from_texts(*sentences(language, part), name=f"{language} {part}", cutter=cutter)


class Planned(NamedTuple):
    """An attack with its settings, what it must keep, and who cuts the words."""

    attack: str
    constrain: str = ""
    cutter: str | None = None


def attacked(language: str, victim: Victim, planned: Planned, folder: Path) -> dict[str, Any]:
    """Return what came of one attack, and what it found."""
    run = unfool.attack(
        victim.opened(),
        data(language, victim.part, planned.cutter),
        planned.attack,
        constrain=planned.constrain,
        budget=Budget(queries=_QUERIES),
        language=language,
        out=folder,
        progress=False,
    )
    summary = run.summary
    labels: Any = run.config["labels"]
    found = [outcome for outcome in run.outcomes() if outcome.status is Status.SUCCESS]
    return {
        "language": language,
        "victim": victim.name,
        **planned._asdict(),
        "texts": summary.samples,
        "right": summary.clean_accuracy.count,
        "fooled": summary.successes,
        "queries": summary.queries_mean,
        "characters_changed": summary.characters_changed,
        "examples": [
            {
                "before": labels[outcome.label],
                "after": labels[outcome.after.label],
                "original": outcome.original[0],
                "perturbed": outcome.perturbed[0],
            }
            for outcome in (found if planned.attack in _BY_WORDNET else found[:_SHOWN])
        ],
    }


def main() -> None:
    """Attack every victim that is there, but for what the results already tell."""
    rows = json.loads(RESULTS.read_text("utf-8"))["rows"] if RESULTS.exists() else []
    known = {tuple(row[key] for key in _KEY) for row in rows}
    for language in LANGUAGES:
        for victim in victims(language):
            if victim.package and importlib.util.find_spec(victim.package) is None:
                print(f"{victim.name} is not installed")
                continue
            for planned in _planned(language):
                if (language, victim.name, *planned) in known:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    row = attacked(language, victim, planned, Path(folder) / "run")
                print(*(row[key] for key in row if key != "examples"), flush=True)
                rows.append(row)
                told = {"queries": _QUERIES, "rows": rows}
                RESULTS.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _planned(language: str) -> Iterator[Planned]:
    for attack in ATTACKS[language]:
        yield Planned(attack)
        if attack in _BY_WORDNET:
            cutter = _CUTTERS.get(language)
            if cutter:
                yield Planned(attack, "", cutter)
            yield Planned(attack, _NEAR, cutter)


def french(texts: list[str]) -> list[list[float]]:
    """Return two probabilities a text of textblob-fr's polarity."""
    from textblob_fr import PatternAnalyzer

    shares = [(1 + PatternAnalyzer().analyze(text)[0]) / 2 for text in texts]
    return [[1 - share, share] for share in shares]


def spanish(texts: list[str]) -> list[list[float]]:
    """Return two probabilities a text of sentiment-analysis-spanish."""
    good = [_spanish().sentiment(text) for text in texts]
    return [[1 - each, each] for each in good]


def japanese(texts: list[str]) -> list[list[float]]:
    """Return two probabilities a text of asari."""
    answers = [
        {each["class_name"]: each["confidence"] for each in _asari().ping(text)["classes"]} for text in texts
    ]
    return [[each["negative"], each["positive"]] for each in answers]


for function in (french, spanish, japanese):
    function.labels = ("negative", "positive")  # type: ignore[attr-defined]


def _vectors(texts: Sequence[str]) -> Any:
    return sentence_encoder("universal").encode(list(texts))


@cache
def _spanish() -> Any:
    from sentiment_analysis_spanish.sentiment_analysis import SentimentAnalysisSpanish

    return SentimentAnalysisSpanish()


@cache
def _asari() -> Any:
    from asari.api import Sonar

    return Sonar()


if __name__ == "__main__":
    main()
