"""What people have in their hands: data frames, Hugging Face data sets, lists."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from unfool import data
from unfool.errors import UserError

TEXTS, STARS = ["A good film.", "A bad film.", "Fine."], ["pos", "neg", "pos"]


def content(dataset: data.Dataset) -> list[tuple[int, tuple[str, ...], str]]:
    return [(sample.id, sample.text.strings, dataset.labels[sample.label]) for sample in dataset]


EXPECTED = [(0, ("A good film.",), "pos"), (1, ("A bad film.",), "neg"), (2, ("Fine.",), "pos")]


def frame(**columns: list[Any]) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


def hub_dataset(**columns: list[Any]) -> Any:
    return pytest.importorskip("datasets").Dataset.from_dict(columns)


def test_a_list_of_pairs() -> None:
    dataset = data.load(list(zip(TEXTS, STARS, strict=True)))
    assert content(dataset) == EXPECTED
    assert (dataset.name, dataset.split) == ("list", None)
    assert data.load([[text, label] for text, label in zip(TEXTS, STARS, strict=True)]).labels == ("neg", "pos")


def test_a_list_of_dicts_with_its_columns_guessed_as_in_files() -> None:
    rows = [{"Review": text, "stars": label} for text, label in zip(TEXTS, STARS, strict=True)]
    dataset = data.load(rows)
    assert content(dataset) == EXPECTED
    assert dataset.columns.describe().startswith("columns: text=Review (guessed), label=stars (guessed)")


def test_a_data_frame() -> None:
    table = frame(id=[7, 8, 9], review=TEXTS, stars=STARS)
    assert content(data.load(table)) == EXPECTED
    assert data.load(table).name == "DataFrame"
    assert content(data.load(table[["review", "stars"]].iloc[::-1]))[0] == (0, ("Fine.",), "pos")
    assert data.load(frame(text=TEXTS, label=[1, 0, 1])).labels == ("0", "1")
    truths = data.load(frame(text=TEXTS, label=[True, False, True]), rename={"True": "yes", "False": "no"})
    assert [truths.labels[sample.label] for sample in truths] == ["yes", "no", "yes"]
    pairs = data.load(frame(premise=TEXTS, hypothesis=TEXTS, label=STARS), edit="hypothesis")
    assert pairs[1].text.strings == ("A bad film.", "A bad film.")


def test_gaps_of_a_data_frame_are_bad_rows() -> None:
    table = frame(text=["a", None, "c", 4, "e"], label=[1.0, 0.0, float("nan"), 1.0, 0.0])
    with pytest.raises(UserError, match=r"'DataFrame', row 2: no text in column 'text'; 3 of 5 rows are bad"):
        data.load(table)
    found = data.load(table, skip_bad=True)
    assert [str(bad) for bad in found.bad_rows] == [
        "row 2: no text in column 'text'",
        "row 3: no label",
        "row 4: the text is a int, not a string",
    ]
    assert [sample.id for sample in found] == [0, 4]
    pandas = pytest.importorskip("pandas")
    gaps = data.load(frame(text=["a", "b"], label=[pandas.NA, "x"]), skip_bad=True)
    assert [str(bad) for bad in gaps.bad_rows] == ["row 1: no label"]


def test_a_hugging_face_data_set_with_the_names_of_its_classes() -> None:
    datasets = pytest.importorskip("datasets")
    found = hub_dataset(text=TEXTS, label=[1, 0, 1]).cast_column("label", datasets.ClassLabel(names=["neg", "pos"]))
    assert content(data.load(found)) == EXPECTED
    unlabelled = data.load(found, label="@victim")
    assert [str(sample.text) for sample in unlabelled] == TEXTS


def test_a_dictionary_of_splits_has_them() -> None:
    datasets = pytest.importorskip("datasets")
    splits = datasets.DatasetDict(
        train=hub_dataset(text=["x"], label=[0]), test=hub_dataset(text=TEXTS, label=[1, 0, 1])
    )
    assert (len(data.load(splits)), data.load(splits).split) == (3, "test")
    assert len(data.load(splits, split="train")) == 1
    with pytest.raises(UserError, match="'DatasetDict' has no split 'dev'; there is train, test"):
        data.load(splits, split="dev")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (5, "the data is a int; give a name such as FILE.csv, a pandas DataFrame"),
        (None, "the data is a NoneType; give a name"),
        ([], "the data is an empty list"),
        (["a", "b"], r"item 1 of the list is 'a'; give \(text, label\) pairs or dicts, or make a data set"),
        ([("a", 1), ("b", 1, 2)], r"item 2 of the list is \('b', 1, 2\)"),
        ([{"a": "x", "b": "y", "c": "z"}], "no column that looks like the text; .*load.*text=….* there is 'a'"),
    ],
)
def test_what_holds_no_texts_is_told(given: object, told: str) -> None:
    with pytest.raises(UserError, match=told):
        data.load(given)


def test_what_has_no_splits_is_told() -> None:
    with pytest.raises(UserError, match="a list in memory has no split 'test'"):
        data.load([("a", "b")], split="test")


def test_a_data_set_stays_what_it_is() -> None:
    dataset = data.from_texts(TEXTS, STARS)
    assert data.as_dataset(dataset) is dataset


def test_texts_without_labels_wait_for_some() -> None:
    for unlabelled in (
        data.load([{"prompt": text} for text in TEXTS], label="@victim"),
        data.from_texts(TEXTS, "@victim"),
    ):
        assert unlabelled.unlabelled
        labelled = unlabelled.with_labels(["no", "yes"], [1, -1, 0])
        assert [(sample.id, sample.label) for sample in labelled] == [(0, 1), (2, 0)]
        assert not labelled.unlabelled


def test_no_library_is_imported_for_a_list() -> None:
    code = "import sys; from unfool import data; data.load([('a', 'b')]); print({'datasets'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
