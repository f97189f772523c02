"""A pipeline says the same of a changed text whether its words are found anew or one chunk at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unfool.engine import Answers
from unfool.text import Text, Variants
from unfool.victims import Pipeline, StringRows

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

BAD = ["a bad film, a dull plot", "Awful bore", "not good at all", "dreadful bad acting , dull", "so-so naïve plot"]
GOOD = ["a good film", "great fun and good plot", "Good and great", "not bad at all", "the 2nd film is lovely"]
WORDS = ["a", "good", "Bad", "film", "plot", "not", "at", "all", "and", "great", "dull", "naïve", "2nd", "x"]
PIPELINES: dict[str, Any] = {
    "tf-idf": (TfidfVectorizer(), LogisticRegression()),
    "pairs and triples of words": (TfidfVectorizer(ngram_range=(1, 3), sublinear_tf=True), LogisticRegression()),
    "pairs alone": (TfidfVectorizer(ngram_range=(2, 2), norm="l1"), LinearSVC()),
    "counts": (CountVectorizer(), MultinomialNB()),
    "whether a word is there": (CountVectorizer(binary=True, stop_words=["a", "the"]), RidgeClassifier()),
    "counts, then tf-idf": (CountVectorizer(ngram_range=(1, 2)), TfidfTransformer(), LogisticRegression()),
    "case and accents": (TfidfVectorizer(lowercase=False, strip_accents="unicode"), LogisticRegression()),
    "words of one letter": (TfidfVectorizer(token_pattern=r"(?u)\b\w+\b", use_idf=False), LogisticRegression()),
}


def victim(*steps: Any) -> Pipeline:
    return Pipeline(make_pipeline(*steps).fit(BAD + GOOD, [0] * len(BAD) + [1] * len(GOOD)), "sklearn:toy")


VICTIMS = {name: victim(*steps) for name, steps in PIPELINES.items()}


def searched(victim: Pipeline, asked: list[Variants]) -> Answers:
    rows = victim.rows(asked)
    return victim.launch(rows, np.arange(len(rows.keys))).result()


texts = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join) | st.text(max_size=12).map(
    lambda tail: f"a good, bad film {tail} not dull"
)
new_words = st.sampled_from([*WORDS, "unheard", "good-bad", "a b", "", "ΟΔΟΣ", "\u0301", "  "]) | st.text(
    max_size=4
)


@pytest.mark.parametrize("name", PIPELINES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_search_sees_what_the_pipeline_says_of_the_rendered_text(name: str, data: st.DataObject) -> None:
    asked: list[Variants] = []
    for text in data.draw(st.lists(texts, min_size=1, max_size=3)):
        base = Text.of(text)
        spots = data.draw(st.lists(st.sampled_from(range(len(base))), max_size=4)) if len(base) else []
        asked += [base.variants(spots, [data.draw(new_words) for _ in spots]), Variants.of_texts([base])]
    rows = VICTIMS[name].rows(asked)
    assert not isinstance(rows, StringRows)
    inputs = [text.strings for variants in asked for text in variants]
    found = searched(VICTIMS[name], asked)
    assert not found.errors
    same_answers(found, VICTIMS[name].confirm(inputs))
    assert len(set(rows.keys.tolist())) == len(set(inputs))


@pytest.mark.parametrize(
    "vectorizer",
    [
        TfidfVectorizer(analyzer="char", ngram_range=(1, 3)),
        TfidfVectorizer(token_pattern=r"\w+ \w+|\w+"),
        TfidfVectorizer(tokenizer=str.split, token_pattern=None),
        TfidfVectorizer(preprocessor=str.upper),
        HashingVectorizer(alternate_sign=False),
    ],
)
def test_other_vectorizers_read_whole_texts(vectorizer: Any) -> None:
    opened = victim(vectorizer, LogisticRegression())
    base = Text.of("a good film and a dull plot")
    asked = [base.variants([1, 5], ["bad", "great"])]
    assert isinstance(opened.rows(asked), StringRows)
    same_answers(searched(opened, asked), opened.confirm([text.strings for text in asked[0]]))


class Moody(LogisticRegression):  # type: ignore[misc]
    """Refuses many texts at once, and whatever says dull."""

    def predict_proba(self, counts: Any) -> Any:
        if counts.shape[0] > 1:
            raise MemoryError
        found = super().predict_proba(counts)
        return found * np.nan if found[0, 0] > 0.5 else found


def test_where_a_step_fails_the_pipeline_itself_is_asked() -> None:
    opened = victim(CountVectorizer(), Moody())
    found = searched(opened, [Text.of("a good film").variants([1, 1, 1], ["great", "dull", "lovely"])])
    assert list(found.errors) == [1]
    assert "dull" in str(found.errors[1])


@pytest.mark.parametrize("name", ["tf-idf", "counts, then tf-idf"])
def test_many_texts_are_counted_in_parts(name: str) -> None:
    opened, base = VICTIMS[name], Text.of("a good film and a great plot")
    asked = [base.variants([1] * 1500, [f"word{number} good" for number in range(1500)])]
    same_answers(searched(opened, asked), opened.confirm([text.strings for text in asked[0]]))


SINGLE_WORDS: dict[str, Any] = {
    "tf-idf": (TfidfVectorizer(), LogisticRegression()),
    "whether a word is there": (CountVectorizer(binary=True, stop_words=["a"]), RidgeClassifier()),
    "counts, then the sum of all": (CountVectorizer(), TfidfTransformer(norm="l1"), LinearSVC()),
    "counts, then logarithms": (CountVectorizer(), TfidfTransformer(norm=None, sublinear_tf=True), LinearSVC()),
}


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("name", SINGLE_WORDS)
def test_a_sum_over_single_words_tells_what_a_linear_model_says(name: str, labels: int) -> None:
    model = make_pipeline(*map(clone, SINGLE_WORDS[name])).fit(BAD + GOOD, [n % labels for n in range(10)])
    opened, texts = Pipeline(model, "sklearn:toy"), [Text.of("a good film and a dull plot , good"), Text.of("x")]
    swaps = texts[0].variants([1, 4, 5, 5, 7], ["good", "", "bad awful", "unheard", "film"])
    asked = [swaps, Variants.of_texts(texts), texts[1].variants([0, 0], ["dull", ""])]
    expected = opened.confirm([text.strings for variants in asked for text in variants])
    del model[-1].coef_  # so that nobody asks the model
    same_answers(searched(opened, asked), expected)


def same_answers(found: Answers, expected: Answers) -> None:
    assert not found.errors
    np.testing.assert_array_equal(found.values.round(6), expected.values.round(6))
