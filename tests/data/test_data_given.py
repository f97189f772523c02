"""Data sets of texts in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from unfool import data
from unfool.errors import UserError


def test_texts_in_memory_are_as_those_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("text,label\na,5\nb,1\nc,5\n")
    given, read = data.from_texts(["a", "b", "c"], [5, 1, 5]), data.load(str(file))
    assert (list(given), given.labels) == (list(read), read.labels)
    assert given.fingerprint == read.fingerprint


def test_names_say_what_numbers_mean() -> None:
    given = data.from_texts(["a", "b"], [1, 0], names=["neg", "pos"])
    assert given.labels == ("neg", "pos")
    assert [sample.label for sample in given] == [1, 0]


def test_pairs_have_two_fields_of_which_one_may_be_edited() -> None:
    (sample,) = data.from_texts(["A man eats."], ["no"], pairs=["A man sleeps."], edit="pair", names=["yes", "no"])
    assert (sample.text.strings, sample.label) == (("A man eats.", "A man sleeps."), 1)
    assert [(field.name, field.editable) for field in sample.text.fields] == [("text", False), ("pair", True)]


def test_pairs_that_cannot_be_used_are_told() -> None:
    with pytest.raises(UserError, match="2 texts, 1 second texts and 2 labels; give"):
        data.from_texts(["a", "b"], [0, 1], pairs=["c"])
    with pytest.raises(UserError, match=r"no 'pair' to edit; there is text$"):
        data.from_texts(["a"], [0], edit="pair")


@pytest.mark.parametrize(
    ("texts", "labels", "problem"),
    [
        ([], [], "0 texts and 0 labels"),
        (["a"], [1, 0], "1 texts and 2 labels"),
        (["a", ("b", "c")], [1, 0], "text 2 is a tuple, not a string"),
        (["a", "\ud800"], [1, 0], "text 2: invalid UTF-8; mend it"),
        (["a", "b"], ["good", None], "text 2: no label; mend it"),
        (["a", "b"], ["good", float("nan")], "text 2: no label; mend it"),
        (["a", "b"], [1, -1], r"text 2: unlabelled \(label -1\); mend it"),
        (["a", "b"], [1, ""], "text 2: no label; mend it"),
    ],
)
def test_what_cannot_be_used_is_told(texts: list[str], labels: list[int | str], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        data.from_texts(texts, labels)
