"""Labels, one number, pipelines' dictionaries and rows are all understood; what could be two things is refused."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from unfool.errors import UserError
from unfool.victims import callable_victim

GOOD, BAD = {"label": "good", "score": 0.75}, {"label": "bad", "score": 0.25}
TWO_ROWS = [[0.25, 0.75], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("answers", "rows"),
    [
        (["good", "bad"], [[0, 1], [1, 0]]),
        (["GOOD", "Bad"], [[0, 1], [1, 0]]),
        ([1, 0], [[0, 1], [1, 0]]),
        ([[1], [0]], [[0, 1], [1, 0]]),
        (np.array([1, 0]), [[0, 1], [1, 0]]),
        (np.array(["good", "bad"]), [[0, 1], [1, 0]]),
        ([True, False], [[0, 1], [1, 0]]),
        ([0.75, 0.0], TWO_ROWS),
        ([0.75, 0], TWO_ROWS),
        (np.array([0.75, 0.0], dtype=np.float32), TWO_ROWS),
        (np.array([[0.75], [0.0]]), TWO_ROWS),
        ([[0.75], [0.0]], TWO_ROWS),
        ([GOOD, {"label": "bad", "score": 1.0}], TWO_ROWS),
        ([[GOOD, BAD], [BAD | {"score": 1}, GOOD | {"score": 0}]], TWO_ROWS),
        ([{"label": "LABEL_1", "score": 0.75}, {"label": "LABEL_0", "score": 1.0}], TWO_ROWS),
        ([{"good": 0.75, "bad": 0.25}, {"BAD": 1.0, "Good": 0}], TWO_ROWS),
        (TWO_ROWS, TWO_ROWS),
        (np.array(TWO_ROWS), TWO_ROWS),
        ([0.75, "bad"], TWO_ROWS),
    ],
)
def test_every_form_is_understood_where_labels_are_given(answers: Any, rows: Any) -> None:
    victim = callable_victim(lambda texts: answers, ["bad", "good"])
    values, errors = victim.confirm([("one",), ("two",)])
    assert not errors
    np.testing.assert_allclose(values, rows)


def itself(answers: Any, texts: Sequence[str]) -> Any:
    return answers


def test_tensors_are_numbers_too() -> None:
    torch = pytest.importorskip("torch")
    forms: list[Any] = [torch.tensor([0.75, 0.0]), torch.tensor([[0.75], [0.0]]), list(torch.tensor(TWO_ROWS))]
    for answers in forms:
        values, errors = callable_victim(partial(itself, answers), ["bad", "good"]).confirm([("one",), ("two",)])
        assert not errors
        np.testing.assert_allclose(values, TWO_ROWS)
    values, _ = callable_victim(lambda texts: torch.tensor([1, 0]), ["bad", "good"]).confirm([("one",), ("two",)])
    np.testing.assert_array_equal(values, [[0, 1], [1, 0]])


def test_whole_numbers_are_names_where_the_labels_are_numbers() -> None:
    victim = callable_victim(lambda texts: [5 if text == "love it" else 1 for text in texts], list("12345"))
    values, _ = victim.confirm([("love it",), ("hate it",)])
    np.testing.assert_array_equal(values.argmax(axis=1), [4, 0])


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        (0.5, ("0", "1")),
        ([0.5], ("0", "1")),
        ([GOOD, BAD], ("bad", "good")),
        ({"good": 0.75, "bad": 0.25}, ("bad", "good")),
        ([0.2, 0.3, 0.5], ("0", "1", "2")),
        ([{"label": f"LABEL_{number}", "score": 0.5} for number in (1, 0)], ("0", "1")),
    ],
)
def test_a_question_tells_the_classes(answer: Any, labels: tuple[str, ...]) -> None:
    assert callable_victim(lambda texts: [answer for _ in texts]).labels == labels


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("good", "one label a text, 'good', not with all.*give its labels"),
        (1, "one label a text, 1, not with all.*give its labels"),
        (GOOD, "best label alone.*give its labels"),
    ],
)
def test_labels_alone_do_not_tell_the_classes(answer: Any, said: str) -> None:
    with pytest.raises(UserError, match=said):
        callable_victim(lambda texts: [answer for _ in texts])


def sound_but_for(answer: Any, labels: Sequence[str]) -> Any:
    row = [1.0] + [0.0] * (len(labels) - 1)
    return callable_victim(lambda texts: [answer if text == "odd" else row for text in texts], labels)


@pytest.mark.parametrize(
    ("answer", "labels", "said"),
    [
        (0.7, "abc", "one number a text is the probability of the second of two labels, and there are 3"),
        (3.2, "ab", "answered 3.2, which is no probability of 'b'; .*apply a sigmoid to a logit"),
        (float("nan"), "ab", "answered nan, which is no probability of 'b'"),
        (2, "ab", "answered 2, which is none of the labels"),
        (-1, "ab", "answered -1, which is none of the labels"),
        ("c", "ab", "answered 'c', which is none of the labels"),
        ({"label": "a", "score": 0.7}, "abc", "expected a score for each of the labels.*top_k=None"),
    ],
)
def test_what_cannot_be_meant_is_an_error_of_the_text(answer: Any, labels: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        raise sound_but_for(answer, list(labels)).confirm([("even",), ("odd",)]).errors[1]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ([3.1, 1.2], "3.1 is above one"),
        ([90, 10], "90 is above one"),
        ([-0.5, 1.5], "-0.5 is negative"),
        ([0.9, 0.3], "they sum to 1.2"),
        ([0.4, 0.3], "they sum to 0.7"),
        ([float("nan"), 0.5], "one is not a finite number"),
        ([float("inf"), float("-inf")], "one is not a finite number"),
    ],
)
@pytest.mark.parametrize("kind", [list, np.array])
def test_numbers_that_are_no_probabilities_are_refused_with_the_row_and_the_text(
    row: list[float], why: str, kind: Any
) -> None:
    victim = sound_but_for(kind(row), ["a", "b"])
    _, errors = victim.confirm([("fine",), ("odd",)])
    assert list(errors) == [1]
    shown = ", ".join(f"{number:.4g}" for number in row)
    assert f"answered [{shown}] for 'odd': these are no probabilities ({why}); return numbers" in str(errors[1])
    assert ("apply softmax" in str(errors[1])) == (why != "one is not a finite number")


def test_rows_that_sum_to_nearly_one_are_left_as_they_are() -> None:
    values, errors = sound_but_for([0.4004, 0.6], ["a", "b"]).confirm([("odd",)])
    assert not errors
    np.testing.assert_array_equal(values, np.array([[0.4004, 0.6]], dtype=np.float32))


@pytest.mark.parametrize("labels", [None, ["a", "b"]])
def test_a_victim_that_never_gives_probabilities_is_refused_as_a_whole(labels: list[str] | None) -> None:
    with pytest.raises(UserError, match=r"answered \[3.1, 1.2\] for '.*': these are no probabilities") as refused:
        callable_victim(lambda texts: [[3.1, 1.2]] * len(texts), labels).confirm([("one",), ("two",)])
    assert type(refused.value) is UserError  # no matter of one text
