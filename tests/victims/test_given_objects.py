"""What people have in their hands is a victim: functions, pipelines, fitted classifiers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.end_to_end.command import fetch_or_skip
from tests.victims.test_victim_sklearn import BAD, GOOD, fitted, logistic

import unfool
from unfool.data import from_texts
from unfool.errors import UserError
from unfool.victims import Options, as_victim, callable_victim, vader

TEXTS = from_texts(["A good great film.", "An awful bad bore."], ["pos", "neg"])
TEXTS_NAMED = from_texts(["A good great film.", "An awful bad bore."], ["positive", "negative"])


def test_a_plain_function_is_attacked(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    run = unfool.attack(vader.probabilities, TEXTS_NAMED, "greedy-synonym", out=tmp_path / "run", progress=False)
    assert run.summary.samples == 2
    assert run.config["victim"] == "py:unfool.victims.vader:probabilities"
    assert run.config["labels"] == ["negative", "positive"]


def test_a_fitted_pipeline_is_attacked(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    run = unfool.attack(fitted(logistic()), TEXTS, "greedy-synonym", out=tmp_path / "run", progress=False)
    assert run.summary.clean_accuracy.value == 1
    assert run.config["victim"] == "sklearn:TfidfVectorizer+LogisticRegression"


def test_a_pipeline_of_transformers_answers_as_it_does_itself(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.toy_models import save_bert
    from transformers import pipeline

    pipe = pipeline("text-classification", model=str(save_bert(tmp_path / "model")), device="cpu")
    victim = as_victim(pipe)
    assert victim.labels == ("negative", "positive")
    too_long = "good " * 600
    answers = victim.check([("a good film",), (too_long,), ("a bad film",)]).result()
    assert not answers.errors
    for text, row in (("a good film", answers.values[0]), ("a bad film", answers.values[2])):
        expected = {score["label"]: score["score"] for score in pipe(text, top_k=None)}
        np.testing.assert_allclose(row, [expected[label] for label in victim.labels], atol=1e-5)
    fetch_or_skip("wordnet")
    run = unfool.attack(pipe, TEXTS_NAMED, "greedy-synonym", out=tmp_path / "run", progress=False)
    assert run.summary.samples == 2
    assert run.config["victim_fingerprint"]


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (3, "3 is no victim; give a name"),
        (dict, "is no victim; give a name"),
    ],
)
def test_what_is_no_victim_is_told(thing: object, said: str) -> None:
    with pytest.raises(UserError, match=said):
        as_victim(thing)


def test_a_pipeline_that_is_not_fitted_is_told() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    with pytest.raises(UserError, match="the Pipeline is no fitted classifier of one label a text; fit it first"):
        as_victim(make_pipeline(TfidfVectorizer(), logistic()))


def test_a_net_alone_reads_no_texts() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(UserError, match="a Linear takes tokens, not texts; save it with its tokenizer"):
        as_victim(torch.nn.Linear(2, 2))


def test_a_classifier_of_numbers_alone_is_refused() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    numbers = TfidfVectorizer().fit_transform(BAD + GOOD)
    alone = logistic().fit(numbers, ["neg"] * len(BAD) + ["pos"] * len(GOOD))
    with pytest.raises(UserError, match="holds a LogisticRegression, which takes numbers, not texts"):
        as_victim(alone)


def test_a_victim_and_a_name_stay_what_they_are() -> None:
    victim = callable_victim(vader.probabilities)
    assert as_victim(victim) is victim
    assert repr(as_victim(repr(victim))) == repr(victim)
    assert as_victim(lambda texts: [0.5] * len(texts), Options(labels=["a", "b"])).labels == ("a", "b")
