"""Every bad row is named by its line, and none is dropped in silence."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.data.conftest import Write

from unfool import data
from unfool.errors import UserError

GOOD = b'{"text": "a", "label": 1}\n'
BAD_LINES = {
    "too many fields": ("x.csv", b"text,label\ngood,1\none,two,1\n", 3, "3 fields where the header has 2"),
    "too few fields": ("x.csv", b"text,label\ngood,1\n1\n", 3, "1 fields where the header has 2"),
    "after a quoted line break": ("x.csv", b'text,label\n"a\nb",1\nc\n', 4, "1 fields where the header has 2"),
    "after CRLF and a BOM": ("x.csv", b"\xef\xbb\xbftext,label\r\na,1\r\nb\r\n", 3, "1 fields where"),
    "text after a quote": ("x.csv", b'text,label\na,1\n"b"b,1\n', 3, "a quoted field is not closed properly"),
    "an open quote": ("x.csv", b'text,label\na,1\n"b,1\nc,1\n', 3, "closed properly (it was read up to line 4)"),
    "CSV bytes": ("x.csv", b"text,label\na,1\ncaf\xe9,0\n", 3, "invalid UTF-8"),
    "CSV no label": ("x.csv", b"text,label\na,1\nb,\n", 3, "no label"),
    "CSV no integer": ("x.csv", b"text,label\na,1\nc,0\nb,0.5\n", 4, "label '0.5' is not an integer"),
    "a word among integers": ("x.csv", b"text,label\na,1\nc,0\nb,pos\n", 4, "label 'pos' is not an integer"),
    "an integer among words": ("x.csv", b"text,label\na,p\nc,n\nb,7\n", 4, "label '7' is none of 0=n, 1=p"),
    "negative": ("x.csv", b"text,label\na,1\nb,-1\n", 3, "unlabelled (label -1)"),
    "not agreed": ("x.csv", b"text,gold_label\na,yes\nb,-\n", 3, "unlabelled (label -)"),
    "a huge label": ("x.csv", b"text,label\na,1\nb,1234567\n", 3, "label 1234567 is too large for a class"),
    "TSV fields": ("x.tsv", b"text\tlabel\na\t1\nb\tc\t1\n", 3, "3 fields where the header has 2"),
    "TSV bytes": ("x.tsv", b"text\tlabel\na\t1\n\xff\t1\n", 3, "invalid UTF-8"),
    "JSON": ("x.jsonl", GOOD + b'\n{"text": "b"\n', 3, "invalid JSON (Expecting ',' delimiter"),
    "JSON bytes": ("x.jsonl", GOOD + b'{"text": "\xff", "label": 1}\n', 2, "invalid UTF-8"),
    "half a character": (
        "x.jsonl",
        GOOD + b'{"text": "\\ud800", "label": 1}\n',
        2,
        "invalid UTF-8",
    ),
    "no object": ("x.json", GOOD + b"[1]\n", 2, "not a JSON object"),
    "null text": (
        "x.jsonl",
        GOOD + b'{"text": null, "label": 1}\n',
        2,
        "no text in column 'text'",
    ),
    "no text": ("x.jsonl", GOOD + b'{"label": 1}\n', 2, "no text in column 'text'"),
    "text of digits": (
        "x.jsonl",
        GOOD + b'{"text": 5, "label": 1}\n',
        2,
        "text is not a string",
    ),
    "JSON no label": ("x.jsonl", GOOD + b'{"text": "b"}\n', 2, "no label"),
    "JSON NaN": ("x.jsonl", GOOD + b'{"text": "b", "label": NaN}\n', 2, "no label"),
    "many labels": (
        "x.jsonl",
        GOOD + b'{"text": "b", "label": [1]}\n',
        2,
        "the label is a list",
    ),
}


@pytest.mark.parametrize(("name", "content", "line", "reason"), BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_refused_by_its_number_or_skipped_and_listed(
    write: Write, name: str, content: bytes, line: int, reason: str
) -> None:
    write(name, content)
    with pytest.raises(UserError) as refused:
        data.load(name)
    message = str(refused.value)
    assert message.startswith(f"'{name}', line {line}: ")
    assert reason in message
    assert "--skip-bad" in message
    assert "\n" not in message

    dataset = data.load(name, skip_bad=True)
    (bad,) = dataset.bad_rows
    assert bad.line == line
    assert reason in bad.reason
    assert f"1 of {len(dataset) + 1} rows are bad" in message


def test_all_bad_rows_are_counted_and_the_first_is_shown(write: Write) -> None:
    rows = b"".join(b"good,1\n" + bad for bad in (b"1\n", b"x,-1\n", b"\xff,0\n", b"y,\n"))
    write("x.csv", b"text,label\n" + rows)
    with pytest.raises(UserError, match=r"line 3: 1 fields .*; 4 of 8 rows are bad"):
        data.load("x.csv")
    dataset = data.load("x.csv", skip_bad=True)
    assert [bad.line for bad in dataset.bad_rows] == [3, 5, 7, 9]
    assert [sample.id for sample in dataset] == [0, 2, 4, 6]


def test_a_file_without_one_good_row_is_refused_even_when_skipping(write: Write) -> None:
    write("x.csv", b"text,label\na,-1\nb,-1\n")
    with pytest.raises(UserError, match=r"line 2: unlabelled .*; 2 of 2 rows are bad: none is good"):
        data.load("x.csv", skip_bad=True)


@pytest.mark.parametrize(
    ("label", "reason"), [("5", "label '5' is none of 0=no, 1=yes"), ("maybe", "label 'maybe' is none of")]
)
def test_a_label_outside_the_given_names_is_bad(write: Write, label: str, reason: str) -> None:
    write("x.csv", f"text,label\na,yes\nb,0\nc,{label}\n".encode())
    with pytest.raises(UserError, match=f"line 4: {reason}"):
        data.load("x.csv", labels=["no", "yes"])
    assert [sample.label for sample in data.load("x.csv", labels=["no", "yes"], skip_bad=True)] == [1, 0]


def test_parquet_rows_are_counted_from_one() -> None:
    table = pa.table({"text": ["a", None, "c", "d"], "label": pa.array([1, 0, None, -1])})
    parquet.write_table(table, "x.parquet")
    with pytest.raises(UserError, match=r"'x.parquet', row 2: no text in column 'text'; 3 of 4 rows are bad"):
        data.load("x.parquet")
    bad = data.load("x.parquet", skip_bad=True).bad_rows
    assert list(map(str, bad)) == [
        "row 2: no text in column 'text'",
        "row 3: no label",
        "row 4: unlabelled (label -1)",
    ]


def test_parquet_strings_that_are_no_utf8_are_bad() -> None:
    broken = pa.array([b"a", b"\xff", b"c"]).view(pa.string())
    parquet.write_table(pa.table({"text": broken, "label": [0, 1, 1]}), "x.parquet")
    dataset = data.load("x.parquet", skip_bad=True)
    assert list(map(str, dataset.bad_rows)) == ["row 2: invalid UTF-8"]
    assert [(sample.id, str(sample.text)) for sample in dataset] == [(0, "a"), (2, "c")]


def test_gaps_of_a_data_frame_are_missing_labels() -> None:
    parquet.write_table(pa.table({"text": ["a", "b", "c"], "label": [1.0, float("nan"), 0.5]}), "x.parquet")
    dataset = data.load("x.parquet", skip_bad=True)
    assert list(map(str, dataset.bad_rows)) == ["row 2: no label", "row 3: label '0.5' is not an integer"]
    assert dataset.labels[dataset[0].label] == "1"


UNUSABLE = {
    "empty CSV": ("x.csv", b"", "'x.csv' is empty; it needs a header"),
    "blank TSV": ("x.tsv", b"\n\n", "'x.tsv' is empty; it needs a header"),
    "BOM only": ("x.csv", b"\xef\xbb\xbf", "'x.csv' is empty; it needs a header"),
    "empty JSON lines": ("x.jsonl", b"\n", "'x.jsonl' is empty; it needs at least one line"),
    "JSON cut off": ("x.jsonl", b'\n{"text": "a", ', "'x.jsonl', line 2: invalid JSON ("),
    "empty objects": ("x.jsonl", b"{}\n{}\n", "'x.jsonl', line 1: an empty object"),
    "header only": ("x.csv", b"text,label\n", "'x.csv' has no rows"),
    "an array": ("x.json", b'[\n{"text": "a", "label": 1}]', "'x.json' is one JSON array"),
    "not parquet": ("x.parquet", b"text,label\n", "cannot read 'x.parquet' as parquet: Parquet"),
    "unknown ending": ("x.txt", b"a", "cannot tell the format of 'x.txt'; its name must end in .csv, .tsv"),
}


@pytest.mark.parametrize(("name", "content", "message"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_file_that_cannot_be_used_says_so_in_one_line(
    write: Write, name: str, content: bytes, message: str
) -> None:
    with pytest.raises(UserError) as refused:
        data.load(write(name, content), skip_bad=True)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


def test_parquet_without_rows_is_refused() -> None:
    parquet.write_table(
        pa.table({"text": pa.array([], pa.string()), "label": pa.array([], pa.int64())}), "x.parquet"
    )
    with pytest.raises(UserError, match=r"'x.parquet' has no rows"):
        data.load("x.parquet")


@pytest.mark.parametrize(
    ("text", "label", "message"),
    [
        (pa.array([1]), pa.array([1]), "column 'text' of 'x.parquet' holds int64, not text"),
        (pa.array(["a"]), pa.array([[1]]), "column 'label' of 'x.parquet' holds list<.*>, not class labels"),
    ],
)
def test_a_parquet_column_of_the_wrong_kind_is_refused(text: pa.Array, label: pa.Array, message: str) -> None:
    parquet.write_table(pa.table({"text": text, "label": label}), "x.parquet")
    with pytest.raises(UserError, match=message):
        data.load("x.parquet")


def test_a_column_of_free_text_is_no_label(write: Write) -> None:
    write("x.csv", b"text,label\n" + b"".join(b"a,name %d\n" % number for number in range(10_001)))
    with pytest.raises(UserError, match="holds 10,001 different labels, too many for classes"):
        data.load("x.csv")


def test_parquet_that_is_damaged_inside_is_one_line() -> None:
    parquet.write_table(pa.table({"text": ["some text"] * 1000, "label": [0] * 1000}), "x.parquet")
    whole = Path("x.parquet").read_bytes()
    Path("x.parquet").write_bytes(whole[:4] + bytes(60) + whole[64:])
    with pytest.raises(UserError, match=r"cannot read 'x.parquet' as parquet: ") as refused:
        data.load("x.parquet")
    assert "\n" not in str(refused.value)


def test_negative_numbers_may_be_classes(write: Write) -> None:
    write("x.csv", b"text,label\na,1\nb,-1\n")
    with pytest.raises(UserError, match=r"unlabelled \(label -1\).* name all classes: --labels=-1,1$"):
        data.load("x.csv")
    assert [sample.label for sample in data.load("x.csv", labels=["-1", "1"])] == [1, 0]
