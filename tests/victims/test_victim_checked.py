"""Only what a classifier may answer is accepted; everything else is an error that names it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.errors import VictimError
from unfool.victims import checked


class CannotBeRead:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("needs its graph")


WRONG_ROWS = {
    "nan": [float("nan"), 1.0],
    "infinite": [float("inf"), 0.0],
    "too large for a float": [10**400, 1],
    "negative": [-0.5, 1.5],
    "all zero": [0.0, 0.0],
    "one class": [1.0],
    "three classes": [0.2, 0.3, 0.5],
    "nested": [[0.5, 0.5]],
    "a string": "positive",
    "strings": ["much", "little"],
    "none": None,
    "nones": [None, None],
    "a number": 0.7,
    "empty": [],
    "unreadable": CannotBeRead(),
    "an error": VictimError("it broke"),
}


@pytest.mark.parametrize("row", WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_a_wrong_row_is_an_error_and_its_neighbours_are_not(row: Any) -> None:
    values, errors = checked("the victim", [[0.25, 0.75], row, [1, 0]], 3, 2)
    assert list(errors) == [1]
    assert isinstance(errors[1], VictimError)
    assert str(errors[1]) == "it broke" or "the victim answered" in str(errors[1])
    np.testing.assert_array_equal(values[[0, 2]], np.array([[0.25, 0.75], [1, 0]], dtype=np.float32))


@pytest.mark.parametrize(
    ("array", "wrong"),
    [
        (np.array([[0.5, 0.5], [np.nan, 1.0]]), [1]),
        (np.array([[0.5, 0.5], [-1.0, 2.0]]), [1]),
        (np.array([[0.0, 0.0], [0.5, 0.5]]), [0]),
        (np.array([[0.2, 0.3, 0.5], [0.2, 0.3, 0.5]]), [0, 1]),
        (np.array([["yes", "no"], ["0.5", "0.5"]]), [0]),
        (np.array([["yes", "no"], [0.5, 0.5]], dtype=object), [0]),
        (np.array([0.5, 0.5]), [0, 1]),
    ],
)
def test_wrong_rows_of_an_array(array: Any, wrong: list[int]) -> None:
    assert sorted(checked("the victim", array, 2, 2).errors) == wrong


@pytest.mark.parametrize(
    "answers",
    [None, 3, [], [[0.5, 0.5]], [[0.5, 0.5]] * 3, (row for row in [[0.5, 0.5]] * 2), {"a": 1, "b": 2}],
    ids=["none", "a number", "nothing", "too few", "too many", "a generator", "a dictionary"],
)
def test_other_than_one_row_a_text_is_an_error_for_every_text(answers: Any) -> None:
    values, errors = checked("the victim", answers, 2, 2)
    assert values.shape == (2, 2)
    assert sorted(errors) == [0, 1]
    assert all("the victim" in str(error) for error in errors.values())


@given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3).filter(lambda row: sum(row) > 0.1), max_size=5))
def test_any_probabilities_pass_as_they_are_whatever_holds_them(drawn: list[list[float]]) -> None:
    rows = [[share / sum(row) for share in row] for row in drawn]
    array = np.array(rows, dtype=np.float32).reshape(len(rows), 3)
    for answers in (rows, array, array.astype(np.float64), list(array)):
        values, errors = checked("the victim", answers, len(rows), 3)
        assert not errors
        np.testing.assert_array_equal(values, array)
