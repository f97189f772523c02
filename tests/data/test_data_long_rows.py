"""A row longer than any text is left out or refused, and what is no text is recognised."""

from __future__ import annotations

import csv
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from unfool.data import load
from unfool.errors import UserError

LONG = "x" * 12_000_000


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_a_row_too_long_is_named_and_can_be_left_out(ending: str, tmp_path: Path) -> None:
    texts, path = ["good", LONG, "two\nlines" if ending == "csv" else "bad", "last"], tmp_path / f"data.{ending}"
    if ending == "parquet":
        parquet.write_table(pa.table({"text": texts, "label": ["a", "b", "b", "a"]}), path)
    elif ending == "jsonl":
        path.write_text("".join(f'{{"text": "{text}", "label": "{text[0]}"}}\n' for text in texts))
    else:
        with path.open("w", newline="") as file:
            rows = csv.writer(file, delimiter="\t" if ending == "tsv" else ",")
            rows.writerows([("text", "label"), *zip(texts, ["a", "b", "b", "a"], strict=True)])
    with pytest.raises(UserError, match=r"(line|row) [23]: a row of 12.0 MB; a text has at most 10 MB.*--skip-bad"):
        load(str(path))
    loaded = load(str(path), skip_bad=True)
    assert [sample.id for sample in loaded] == [0, 2, 3]
    assert [sample.text.strings[0] for sample in loaded] == [texts[0], *texts[2:]]
    assert [bad.line for bad in loaded.bad_rows] == [2 if ending in ("jsonl", "parquet") else 3]


def test_lines_behind_a_long_row_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f"text,label\n{LONG},a\none,a\ntwo,b,too many\n")
    assert [bad.line for bad in load(str(path), skip_bad=True).bad_rows] == [2, 4]


def test_a_long_line_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    with path.open("w") as file:
        file.write("text,label\ngood,a\n")
        for _ in range(20):
            file.write(LONG)
        file.write(",a\nbad,b\n")
    tracemalloc.start()
    assert len(load(str(path), skip_bad=True)) == 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(60), "is a program, not text"),
        (b"\x89PNG\r\n\x1a\n\0", "is a PNG picture, not text"),
        (b"PK\x03\x04\x14\0", "save the sheet as CSV"),
        (b"\x1f\x8b\x08\0", "unpack it first"),
        (b"PAR1\x15\0", r"the ending \.parquet"),
        (b"\x80\x04\x95\x10\0", "is a pickle"),
        (bytes(5000), "is not text"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl"])
def test_what_is_no_text_is_said(content: bytes, said: str, ending: str, tmp_path: Path) -> None:
    (tmp_path / f"data.{ending}").write_bytes(content)
    with pytest.raises(UserError, match=said):
        load(str(tmp_path / f"data.{ending}"))


@pytest.mark.parametrize("header", ["MZ", "PAR1", "GIF8 text", "BZh"])
def test_a_header_may_begin_like_another_file(header: str, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(f"{header},text,label\n1,good,a\n2,bad,b\n")
    assert len(load(str(tmp_path / "data.csv"))) == 2
