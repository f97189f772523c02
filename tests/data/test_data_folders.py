"""A folder of splits: which files they are, in every format, and what cannot be one."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.data.conftest import Write

from unfool import data
from unfool.data import Dataset
from unfool.errors import UserError
from unfool.training import load_splits

TEXT_FORMATS = {
    ".csv": (b"text,label\n", b"%s,1\n"),
    ".tsv": (b"text\tlabel\n", b"%s\t1\n"),
    ".jsonl": (b"", b'{"text": "%s", "label": 1}\n'),
    ".json": (b"", b'{"text": "%s", "label": 1}\n'),
}


def one_row(ending: str, text: str) -> bytes:
    header, row = TEXT_FORMATS[ending]
    return header + row % text.encode()


def save(path: Path, *texts: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({"text": list(texts), "label": [0] * len(texts)}), path)


def strings(dataset: Dataset) -> list[str]:
    return [str(sample.text) for sample in dataset]


def test_a_folder_has_a_split_for_each_file() -> None:
    for split in ("train", "validation", "test"):
        save(Path(f"films/{split}.parquet"), split)
    assert strings(data.load("films")) == ["test"]
    assert data.load("films").split == "test"
    assert strings(data.load("films", split="train")) == ["train"]
    with pytest.raises(UserError, match="'films' has no split 'dev'; there is test, train, validation"):
        data.load("films", split="dev")
    Path("films/test.parquet").unlink()
    assert data.load("films").split == "validation"
    Path("films/validation.parquet").unlink()
    assert data.load("films").split == "train"
    save(Path("films/extra.parquet"), "extra")
    with pytest.raises(UserError, match="neither a test nor a validation split; name one of extra, train"):
        data.load("films")


def test_shards_are_read_in_order_and_none_may_be_missing() -> None:
    for number, texts in enumerate([("a", "b"), ("c",), ("d", "e")]):
        save(Path(f"films/data/test-{number:05}-of-00003.parquet"), *texts)
    dataset = data.load("films")
    assert strings(dataset) == ["a", "b", "c", "d", "e"]
    assert [sample.id for sample in dataset] == [0, 1, 2, 3, 4]
    Path("films/data/test-00001-of-00003.parquet").unlink()
    with pytest.raises(UserError, match="'films' holds 2 of the 3 shards of 'test'"):
        data.load("films")


def test_shards_must_have_the_same_columns() -> None:
    save(Path("films/test-00000-of-00002.parquet"), "a")
    parquet.write_table(pa.table({"text": ["b"]}), "films/test-00001-of-00002.parquet")
    with pytest.raises(UserError, match=r"test-00001-of-00002.parquet' has no column 'label'"):
        data.load("films")


def test_a_shard_without_any_text_fits_the_others_and_one_of_other_things_is_named() -> None:
    save(Path("films/test-00000-of-00002.parquet"), "a")
    second = "films/test-00001-of-00002.parquet"
    parquet.write_table(pa.table({"text": pa.array([None]), "label": [0]}), second)
    assert strings(data.load("films", skip_bad=True)) == ["a"]
    parquet.write_table(pa.table({"text": ["b"], "label": [[0]]}), second)
    with pytest.raises(UserError, match=rf"column 'label' of '{second}' holds list<.*>, not class labels"):
        data.load("films")


@pytest.mark.parametrize("ending", TEXT_FORMATS)
@pytest.mark.parametrize("place", ["films", "films/data"])
def test_splits_may_have_every_format_of_a_file(write: Write, ending: str, place: str) -> None:
    for split in ("train", "validation", "test", "dev"):
        write(f"{place}/{split}{ending}", one_row(ending, split))
        found = data.load("films", split=split)
        assert (strings(found), found.split, found.columns.guessed) == ([split], split, ("text", "label"))
    assert strings(data.load("films")) == ["test"]
    assert data.load("films").fingerprint == data.load(f"{place}/test{ending}").fingerprint


@pytest.mark.parametrize("ending", TEXT_FORMATS)
def test_shards_may_have_every_format_and_their_rows_are_counted_through(write: Write, ending: str) -> None:
    header, row = TEXT_FORMATS[ending]
    broken = b"\xff"
    write(f"films/test-00000-of-00002{ending}", header + row % b"a" + row % broken + row % b"c")
    write(
        f"films/test-00001-of-00002{ending}", header + row % broken + row % b"e" + row.replace(b"1", b"-1") % b"f"
    )
    dataset = data.load("films", skip_bad=True)
    assert [(sample.id, str(sample.text)) for sample in dataset] == [(0, "a"), (2, "c"), (4, "e")]
    assert list(map(str, dataset.bad_rows)) == [
        "row 2 of the split 'test': invalid UTF-8 (byte 0xff)",
        "row 4 of the split 'test': invalid UTF-8 (byte 0xff)",
        "row 6 of the split 'test': unlabelled (label -1)",
    ]
    with pytest.raises(
        UserError, match=rf"'films/test-\*{ending}', row 2: invalid UTF-8 \(byte 0xff\); 3 of 6 rows"
    ):
        data.load("films")


def test_splits_of_one_folder_may_have_different_formats(write: Write) -> None:
    for split, ending in (("train", ".csv"), ("validation", ".jsonl"), ("test", ".tsv")):
        write(f"films/{split}{ending}", one_row(ending, split))
        assert strings(data.load("films", split=split)) == [split]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("train.csv", "train.parquet"),
        ("train.json", "train.jsonl"),
        ("data/train.csv", "train.csv"),
        ("train-00000-of-00001.csv", "train.csv"),
        ("train-00000-of-00001.csv", "train-00000-of-00002.csv"),
    ],
)
@pytest.mark.parametrize("split", ["train", "test", None])
def test_a_usual_split_that_is_there_twice_is_refused_whichever_is_read(
    write: Write, first: str, second: str, split: str | None
) -> None:
    for name in (first, second, "test.csv"):
        write(f"films/{name}", b"text,label\na,0\n")
    with pytest.raises(UserError) as refused:
        data.load("films", split=split)
    assert str(refused.value).startswith("the folder 'films' holds the split 'train' twice: ")
    assert f"'films/{first}'" in str(refused.value)
    assert f"'films/{second}'" in str(refused.value)
    assert str(refused.value).endswith("keep the one that is meant and move the other elsewhere")


def test_other_files_beside_the_splits_disturb_nobody_who_does_not_ask_for_them(write: Write) -> None:
    write("films/train.csv", b"text,label\na,0\n")
    for name in ("README.md", "dataset_infos.json", "config.json", "data/state.json", "notes.txt"):
        write(f"films/{name}", b"{}")
    assert data.load("films").split == "train"  # the only one
    for name in ("test.csv", "guesses.csv", "guesses.jsonl"):
        write(f"films/{name}", b"text,label\nb,0\n")
    assert strings(data.load("films")) == ["b"]
    with pytest.raises(UserError, match=r"holds the split 'guesses' twice: 'films/guesses.csv' and"):
        data.load("films", split="guesses")


@pytest.mark.parametrize("other", [None, "README.md", "train.txt", "dev.json", "raw/train.csv"])
def test_a_folder_without_a_split_says_what_is_read(write: Write, other: str | None) -> None:
    Path("films").mkdir()
    if other:
        write(f"films/{other}", b"text,label\na,0\n")
    with pytest.raises(UserError) as refused:
        data.load("films")
    assert str(refused.value) == (
        "the folder 'films' holds no split; a split is a file <split>.csv, .tsv, .jsonl, .json, .parquet, or "
        "shards such as <split>-00000-of-00002.csv, there or in its folder data; a .json must be called "
        "train, validation, test or what --split says"
    )


def test_a_split_has_the_errors_of_its_file(write: Write) -> None:
    write("films/test.csv", b"opinion,stars\na,1\nb\n")
    with pytest.raises(UserError, match=r"'films/test.csv' has no column that looks like the text; name it with"):
        data.load("films")
    with pytest.raises(UserError, match=r"'films/test.csv', line 3: 1 fields where the header has 2; 1 of 2 rows"):
        data.load("films", text="opinion", label="stars")
    write("films/train.json", b'[{"text": "a", "label": 1}]')
    with pytest.raises(UserError, match=r"'films/train.json' is one JSON array; write it as JSON lines"):
        data.load("films", split="train")
    Path("films/validation.csv").mkdir()
    with pytest.raises(UserError, match=r"cannot read 'films/validation.csv': Is a directory"):
        data.load("films", split="validation")


def test_a_row_left_out_is_named_with_its_split_unless_there_is_none(write: Write) -> None:
    rows = b"text,label\na,0\nb,1\nc,\n"
    for name in ("mine.csv", "films/train.csv", "films/test.csv"):
        write(name, rows)
    assert list(map(str, data.load("mine.csv", skip_bad=True).bad_rows)) == ["line 4: no label"]
    skipped = load_splits("films", data.Reading(skip_bad=True)).skipped
    assert list(map(str, skipped)) == [f"line 4 of the split {split!r}: no label" for split in ("train", "test")]


def test_training_on_text_files_holds_out_what_it_does_of_parquet(write: Write) -> None:
    texts = [f"text {number}" for number in range(40)]
    save(Path("old/train.parquet"), *texts)
    save(Path("old/test.parquet"), "a", "b")
    write("new/train.csv", "".join(["text,label\n", *(f"{text},0\n" for text in texts)]).encode())
    write("new/test.tsv", b"text\tlabel\na\t0\nb\t0\n")
    old, new = load_splits("old"), load_splits("new")
    assert new == old
    assert new.held_out
    assert [sample.id for sample in new.validation] == [0, 10, 20, 30]
    write("new/validation.jsonl", b'{"text": "v", "label": 0}\n')
    assert [str(sample.text) for sample in load_splits("new").validation] == ["v"]


def test_a_named_label_has_the_id_of_the_training_split_in_all(write: Write) -> None:
    write("films/train.csv", b"text,label\na,neg\nb,pos\nc,pos\n")
    write("films/test.csv", b"text,label\nd,pos\n")
    assert [sample.label for sample in load_splits("films").test] == [1]
    write("films/test.csv", b"text,label\nd,pos\ne,so-so\n")
    with pytest.raises(UserError, match=r"'films/test.csv', line 3: label 'so-so' is none of 0=neg, 1=pos"):
        load_splits("films")


def test_a_file_at_hand_is_trained_on_by_its_plain_name(write: Write, no_sets_at_hand: Path) -> None:
    write(str(no_sets_at_hand / "single.csv"), b"text,label\na,0\nb,1\nc,1\n")
    assert [str(sample.text) for sample in load_splits("single").train] == ["b", "c"]


def test_training_does_without_a_split_that_is_absent_and_with_none_that_is_wrong(write: Write) -> None:
    write("films/train.csv", b"text,label\na,neg\nb,pos\nc,pos\n")
    write("films/._test.csv", b"not a table")
    assert load_splits("films").test == []
    for unlabelled in (b"text\nd\n", b"text,label\nd,\n", b"text,label\nd,-1\n"):
        write("films/test.csv", unlabelled)
        assert load_splits("films").test == []
    write("films/test.csv", b"text,label\nd,positive\n")
    with pytest.raises(UserError, match=r"line 2: label 'positive' is none of 0=neg, 1=pos"):
        load_splits("films")
    Path("films/test.csv").unlink()
    write("films/test-00000-of-00002.csv", b"text,label\nd,pos\n")
    with pytest.raises(UserError, match=r"holds 1 of the 2 shards of 'test'"):
        load_splits("films")


def test_a_split_that_lacks_a_number_counts_as_training_does(write: Write) -> None:
    write("films/train.csv", b"text,label\na,0\nb,1\nc,2\nd,0\n")
    write("films/test.csv", b"text,label\ne,2\nf,0\n")
    assert [sample.label for sample in load_splits("films").test] == [2, 0]
