"""The same rows in every format are the same data set."""

import csv
import hashlib
import json
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from unfool import data
from unfool.data import Dataset

Row = tuple[str, str, str | int]

# Quotes, separators and line ends are what formats trip over, so they come often.
texts = st.text(st.sampled_from("\"',\t\r\n; ab\0é\u2028😀") | st.characters(exclude_categories=["Cs"]))
numbered = st.tuples(texts, texts, st.integers(0, 5))
named = st.tuples(texts, texts, st.sampled_from(["world", "sport", "très bien"]))
tables = st.lists(numbered, min_size=1) | st.lists(named, min_size=1)


def write_delimited(path: Path, rows: list[Row], delimiter: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(["premise", "hypothesis", "label"])
        writer.writerows(rows)


def write_csv(path: Path, rows: list[Row]) -> None:
    write_delimited(path, rows, ",")


def write_tsv(path: Path, rows: list[Row]) -> None:
    write_delimited(path, rows, "\t")


def write_jsonl(path: Path, rows: list[Row]) -> None:
    lines = [json.dumps(dict(zip(("premise", "hypothesis", "label"), row, strict=True))) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")


def write_parquet(path: Path, rows: list[Row]) -> None:
    premises, hypotheses, labels = (list(column) for column in zip(*rows, strict=True))
    table = pa.table({"premise": premises, "hypothesis": hypotheses, "label": labels})
    parquet.write_table(table, path, row_group_size=3)


WRITERS: dict[str, Callable[[Path, list[Row]], None]] = {
    "csv": write_csv,
    "tsv": write_tsv,
    "jsonl": write_jsonl,
    "parquet": write_parquet,
}


@contextmanager
def in_every_format(rows: list[Row]) -> Iterator[dict[str, Dataset]]:
    with tempfile.TemporaryDirectory() as folder:
        paths = {ending: Path(folder, f"rows.{ending}") for ending in WRITERS}
        for ending, path in paths.items():
            WRITERS[ending](path, rows)
        yield {ending: data.load(str(path)) for ending, path in paths.items()}


@settings(max_examples=150, deadline=None)
@given(tables)
def test_every_format_gives_back_the_rows_and_the_same_fingerprint(rows: list[Row]) -> None:
    with in_every_format(rows) as loaded:
        for dataset in loaded.values():
            found = [(*sample.text.strings, dataset.labels[sample.label]) for sample in dataset]
            assert found == [(premise, hypothesis, str(label)) for premise, hypothesis, label in rows]
            assert [sample.id for sample in dataset] == list(range(len(rows)))
            assert [dataset[row] for row in range(len(rows))] == list(dataset)
        assert len({dataset.fingerprint for dataset in loaded.values()}) == 1


@settings(max_examples=40, deadline=None)
@given(st.lists(numbered, min_size=1), st.data())
def test_the_fingerprint_sees_every_change(rows: list[Row], draw: st.DataObject) -> None:
    row = draw.draw(st.integers(0, len(rows) - 1))
    premise, hypothesis, label = rows[row]
    assert isinstance(label, int)
    changed = draw.draw(
        st.sampled_from(
            [
                [*rows[:row], (premise + "x", hypothesis, label), *rows[row + 1 :]],
                [*rows[:row], ("x" + premise, hypothesis[1:], label), *rows[row + 1 :]],
                [*rows[:row], (premise, hypothesis, label + 1), *rows[row + 1 :]],
                [*rows, rows[row]],
            ]
        )
    )
    with in_every_format(rows) as before, in_every_format(changed) as after:
        assert before["csv"].fingerprint != after["csv"].fingerprint


def test_the_fingerprint_sees_where_one_text_ends_and_what_the_labels_are_called(tmp_path: Path) -> None:
    ab, a_b = tmp_path / "1.csv", tmp_path / "2.csv"
    write_csv(ab, [("ab", "c", 0), ("", "d", 1)])
    write_csv(a_b, [("a", "c", 0), ("b", "d", 1)])
    prints = {data.load(str(ab)).fingerprint, data.load(str(a_b)).fingerprint}
    prints.add(data.load(str(ab), labels=["no", "yes"]).fingerprint)
    assert len(prints) == 3


def test_the_fingerprint_stays_what_it_is(tmp_path: Path) -> None:
    write_csv(tmp_path / "x.csv", [("a", "é", 0), ("", "", 1)])
    parts = [
        b'{"rows": 2, "labels": ["0", "1"], "columns": 2}',
        struct.pack("<qq", 1, 0) + b"a",
        struct.pack("<qq", 2, 0) + "é".encode(),
        struct.pack("<qq", 0, 1),
    ]
    assert data.load(str(tmp_path / "x.csv")).fingerprint == hashlib.sha256(b"".join(parts)).hexdigest()


def test_texts_that_are_all_empty_are_texts(tmp_path: Path) -> None:
    with in_every_format([("", "", 0), ("", "", 1)]) as loaded:
        assert [sample.text.strings for sample in loaded["csv"]] == [("", ""), ("", "")]
        assert len({dataset.fingerprint for dataset in loaded.values()}) == 1


@pytest.mark.parametrize("ending", WRITERS)
def test_many_rows_keep_their_order(tmp_path: Path, ending: str) -> None:
    rows: list[Row] = [(f"text {number}", "", number % 3) for number in range(20_000)]
    WRITERS[ending](tmp_path / f"x.{ending}", rows)
    dataset = data.load(str(tmp_path / f"x.{ending}"), text="premise")
    assert [str(sample.text) for sample in dataset] == [premise for premise, _, _ in rows]
    assert dataset[12_345].text.strings == ("text 12345",)
    assert dataset[12_345].label == 12_345 % 3
