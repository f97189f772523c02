"""Endpoints that answer as Hugging Face's pipelines do: labels with scores, the best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.victims.conftest import Reply, Serve

from unfool.errors import UserError
from unfool.victims import Endpoint, place_of

TEXTS = [("b",), ("a",), ("ab",)]
SHARES = {"": 0.5, "b": 0.1, "a": 0.75, "ab": 0.5}
EXPECTED = [[0.9, 0.1], [0.25, 0.75], [0.5, 0.5]]


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfool.victims.endpoint._insisting.FIRST_PAUSE_S", 0.01)


def pipeline(texts: Sequence[str], names: Sequence[str], best: int | None = None) -> list[list[dict[str, Any]]]:
    """Answer as a pipeline does: sorted by score, the best few where asked."""
    rows = [
        [{"label": names[0], "score": 1 - SHARES[text]}, {"label": names[1], "score": SHARES[text]}]
        for text in texts
    ]
    return [sorted(row, key=lambda item: -float(str(item["score"])))[:best] for row in rows]


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize(
    ("names", "learned"),
    [
        (("CONSONANT", "VOWEL"), ("CONSONANT", "VOWEL")),
        (("LABEL_0", "LABEL_1"), ("0", "1")),
        (("9", "10"), ("9", "10")),
    ],
)
def test_names_are_taken_from_the_answer(
    serve: Serve, names: tuple[str, str], learned: tuple[str, str], wrapped: bool
) -> None:
    def answer(texts: list[str], _: dict[str, str]) -> Reply:
        rows = pipeline(texts, names)
        return Reply({"predictions": rows} if wrapped else rows)

    victim = Endpoint(serve(answer))
    assert victim.labels == learned
    values, errors = victim.confirm(TEXTS)
    assert not errors
    np.testing.assert_allclose(values, EXPECTED, rtol=1e-6)


@pytest.mark.parametrize("names", [("consonant", "vowel"), ("CONSONANT", "VOWEL"), ("LABEL_0", "LABEL_1")])
@pytest.mark.parametrize("best", [None, 1])
def test_names_that_are_given_are_found_in_the_answer(
    serve: Serve, names: tuple[str, str], best: int | None
) -> None:
    victim = Endpoint(serve(lambda texts, _: Reply(pipeline(texts, names, best))), ["consonant", "vowel"])
    values, errors = victim.confirm(TEXTS)
    assert not errors
    np.testing.assert_allclose(values, EXPECTED, rtol=1e-6)


def test_the_best_label_alone_needs_no_list(serve: Serve) -> None:
    def answer(texts: list[str], _: dict[str, str]) -> Reply:
        return Reply([row[0] for row in pipeline(texts, ("no", "yes"), 1)])

    url = serve(answer)
    np.testing.assert_allclose(Endpoint(url, ["no", "yes"]).confirm(TEXTS).values, EXPECTED, rtol=1e-6)
    with pytest.raises(UserError, match="answers with one label a text, not with all; say with --labels which"):
        Endpoint(url)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([{"label": "yes", "score": 0.9}], "expected a score for each of the labels"),
        (
            [{"label": "yes", "score": 0.5}, {"label": "on", "score": 0.5}],
            "expected a score for each of the labels",
        ),
        (
            [{"label": "yes", "score": 0.5}, {"label": "YES", "score": 0.5}],
            "expected a score for each of the labels",
        ),
        ([{"label": "yes", "score": 0.5}, {"label": "yes", "score": 0.5}], "expected 3 probabilities or a label"),
        ([{"label": "yes", "score": "0.9"}], "expected 3 probabilities or a label"),
        ([{"label": 1, "score": 0.9}], "expected 3 probabilities or a label"),
        ([{"label": "yes"}], "expected 3 probabilities or a label"),
        ([{"label": "yes", "score": -1}, {"label": "no", "score": 2}], "-1 is negative"),
        ([], "shape"),
    ],
)
def test_other_answers_are_told_as_before(serve: Serve, row: Any, said: str) -> None:
    good = {"probabilities": [[1, 0, 0]]}
    reply = serve(lambda texts, _: Reply(good if texts == ["good"] else [row for _ in texts]))
    victim = Endpoint(reply, ["no", "maybe", "yes"], retries=0)
    victim.confirm([("good",)])
    _, errors = victim.confirm([("a",)])
    assert said in str(errors[0])


@pytest.mark.parametrize(
    ("name", "place"),
    [("up", 0), ("UP", None), ("Up", 1), ("DOWN", 2), ("label_2", 2), ("LABEL_3", None), ("left", None)],
)
def test_a_name_in_another_case_is_found_where_one_alone_fits(name: str, place: int | None) -> None:
    assert place_of(name, ("up", "Up", "down")) == place
