"""Which columns are used, what labels mean, and what is said about either."""

import json

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.data.conftest import Write

from unfool import data
from unfool.errors import UserError


def test_guesses_are_stated_and_choices_are_not(write: Write) -> None:
    write("x.csv", b"id,Sentence,target\n7,hello,0\n")
    assert data.load("x.csv").columns.describe() == "columns: text=Sentence (guessed), label=target (guessed)"
    chosen = data.load("x.csv", text="Sentence", label="id", labels=["7"]).columns
    assert chosen.describe() == "columns: text=Sentence, label=id"


@pytest.mark.parametrize("mark", [b";", b"\t"])
def test_a_spreadsheet_s_separators_are_seen(write: Write, mark: bytes) -> None:
    write(
        "x.csv",
        mark.join([b"text", b"label\n"]) + mark.join([b"a, b", b"1\n"]) + mark.join([b'"c%b""d"""' % mark, b"0\n"]),
    )
    dataset = data.load("x.csv")
    assert [str(sample.text) for sample in dataset] == ["a, b", f'c{mark.decode()}"d"']
    assert [sample.label for sample in dataset] == [1, 0]


def test_other_encodings_are_named(write: Write) -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        write("x.csv", "\ufefftext,label\na,1\n".encode(encoding))
        with pytest.raises(UserError, match=r"'x\.csv' is written in UTF-16; save it as UTF-8"):
            data.load("x.csv")


def test_an_ending_may_be_in_capitals(write: Write) -> None:
    write("X.CSV", b"text,label\na,1\nb,0\n")
    assert [sample.label for sample in data.load("X.CSV")] == [1, 0]


def test_a_pair_is_guessed_whole(write: Write) -> None:
    write("x.csv", b"question,sentence,label\nwho?,me,0\n")
    dataset = data.load("x.csv", edit="sentence")
    assert dataset.columns.describe() == (
        "columns: text=question (guessed), pair=sentence (guessed), label=label (guessed)"
    )
    text = dataset[0].text
    assert text.strings == ("who?", "me")
    assert [(field.name, field.editable) for field in text.fields] == [("question", False), ("sentence", True)]


def test_a_named_text_stays_single_and_a_named_pair_finds_its_partner(write: Write) -> None:
    write("x.csv", b"premise,hypothesis,label\np,h,1\n")
    assert data.load("x.csv", text="hypothesis")[0].text.strings == ("h",)
    assert data.load("x.csv", pair="hypothesis")[0].text.strings == ("p", "h")
    assert data.load("x.csv", text="hypothesis", pair="premise")[0].text.strings == ("h", "p")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "txt"}, "'x.csv' has no column 'txt'; there is 'text', 'label', 'twin', 'twin'"),
        ({"label": "lbl"}, "'x.csv' has no column 'lbl'; there is 'text', 'label', 'twin', 'twin'"),
        (
            {"pair": "other"},
            "'x.csv' has no column that looks like the text; name it with --text .*; there is 'text'",
        ),
        ({"text": "twin"}, "'x.csv' has more than one column 'twin'; there is"),
        (
            {"text": "label", "label": "label"},
            "text=label, label=label: .* must be different",
        ),
        ({"text": "text", "pair": "text"}, "must be different columns of 'x.csv'"),
        ({"edit": "label"}, "'label' cannot be edited; the texts are in text"),
        ({"split": "test"}, "'x.csv' is one file and has no split 'test'"),
    ],
)
def test_a_wrong_choice_says_what_there_is(write: Write, options: dict[str, str], message: str) -> None:
    write("x.csv", b"text,label,twin,twin\na,1,x,y\n")
    with pytest.raises(UserError, match=message):
        data.load("x.csv", **options)  # type: ignore[arg-type]


def test_columns_may_be_named_in_another_case_where_one_alone_fits(write: Write) -> None:
    write("x.csv", b"Text,Other,LABEL,label,Twin,TWIN\na,b,1,0,c,d\n")
    dataset = data.load("x.csv", text="text", pair="OTHER", label="label", edit="other")
    assert dataset.columns.describe() == "columns: text=Text, pair=Other, label=label"
    assert [(field.name, field.editable) for field in dataset[0].text.fields] == [("Text", False), ("Other", True)]
    with pytest.raises(UserError, match=r"'x.csv' has no column 'twin'; there is 'Text', .*'Twin', 'TWIN'"):
        data.load("x.csv", text="twin")


def test_a_file_without_a_header_shows_what_was_taken_for_one(write: Write) -> None:
    write("x.csv", b"a very long first review that goes on and on and on,1\nb,0\n")
    with pytest.raises(UserError, match=r"no column that looks like the text; .* there is 'a very long"):
        data.load("x.csv")


def test_no_label_column_is_said_too(write: Write) -> None:
    write("x.jsonl", b'{"text": "a", "y": 1, "z": 1}')
    with pytest.raises(UserError, match=r"like the label; name it with --label .*; there is 'text', 'y', 'z'"):
        data.load("x.jsonl")


def test_names_get_ids_in_sorted_order_and_that_is_stated(write: Write) -> None:
    write("x.csv", b"text,label\na,pos\nb, neg\n")
    dataset = data.load("x.csv")
    assert dataset.labels == ("neg", "pos")
    assert [sample.label for sample in dataset] == [1, 0]
    assert dataset.columns.describe().endswith("; label ids by sorted name: 0=neg, 1=pos")


def test_given_names_decide_the_ids(write: Write) -> None:
    write("names.csv", b"text,label\na,pos\nb,neg\n")
    dataset = data.load("names.csv", labels=["pos", "neg"])
    assert [sample.label for sample in dataset] == [0, 1]
    assert "sorted" not in dataset.columns.describe()
    write("from_one.csv", b"text,label\na,1\nb,2\n")
    assert [sample.label for sample in data.load("from_one.csv", labels=["1", "2"])] == [0, 1]


def test_given_names_are_found_in_any_case_where_one_alone_fits(write: Write) -> None:
    write("x.csv", b"text,label\na,Pos\nb,neg\nc,pos\n")
    assert data.load("x.csv").labels == ("Pos", "neg", "pos")
    dataset = data.load("x.csv", labels=["neg", "pos"])
    assert [sample.label for sample in dataset] == [1, 0, 1]
    with pytest.raises(UserError, match="label 'neg' is none of 0=NEG, 1=Neg"):
        data.load("x.csv", labels=["NEG", "Neg", "pos"])


@pytest.mark.parametrize("labels", [[], ["a", "a"]])
def test_labels_must_be_different_names(write: Write, labels: list[str]) -> None:
    with pytest.raises(UserError, match="must be different names"):
        data.load(write("x.csv", b"text,label\na,1\n"), labels=labels)


def test_integers_that_are_no_ids_are_names(write: Write) -> None:
    write("x.csv", b"text,label\na,5\nb,1\nc,5\n")
    dataset = data.load("x.csv")
    assert dataset.labels == ("1", "5")
    assert [sample.label for sample in dataset] == [1, 0, 1]
    assert dataset.columns.describe().endswith("; label ids by sorted name: 0=1, 1=5")


def test_integers_are_ids_however_they_are_written(write: Write) -> None:
    write("x.jsonl", b'{"text": "", "label": 1}\n{"text": "", "label": "0"}\n{"text": "", "label": 2.0}\n')
    dataset = data.load("x.jsonl")
    assert [sample.label for sample in dataset] == [1, 0, 2]
    assert dataset.labels == ("0", "1", "2")


def test_parquet_booleans_and_categories_are_names() -> None:
    categories = pa.array(["b", "a"]).dictionary_encode()
    parquet.write_table(pa.table({"text": categories, "label": [True, False], "class": categories}), "x.parquet")
    assert data.load("x.parquet").labels == ("false", "true")
    assert [sample.label for sample in data.load("x.parquet", label="class")] == [1, 0]


def write_class_label(names: list[str], ids: list[int]) -> None:
    features = {"text": {"dtype": "string", "_type": "Value"}, "label": {"names": names, "_type": "ClassLabel"}}
    table = pa.table({"text": ["t"] * len(ids), "label": ids})
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    parquet.write_table(table.replace_schema_metadata(metadata), "x.parquet")


def test_label_names_in_the_parquet_file_are_used() -> None:
    write_class_label(["World", "Sports"], [1, 0, 1])
    dataset = data.load("x.parquet")
    assert dataset.labels == ("World", "Sports")
    assert [sample.label for sample in dataset] == [1, 0, 1]
    write_class_label(["1", "2"], [1, 0])
    assert [sample.label for sample in data.load("x.parquet")] == [1, 0]


def test_an_id_beyond_the_names_in_the_parquet_file_is_bad() -> None:
    write_class_label(["World", "Sports"], [1, 2])
    with pytest.raises(UserError, match="row 2: label '2' is none of 0=World, 1=Sports"):
        data.load("x.parquet")


def test_quotes_of_a_tsv_are_plain_where_the_file_makes_no_sense_otherwise(write: Write) -> None:
    write("plain.tsv", b'text\tlabel\n"Big" it is not\t0\nand "small" neither\t1\n"so\t1\n')
    assert [str(sample.text) for sample in data.load("plain.tsv")] == [
        '"Big" it is not',
        'and "small" neither',
        '"so',
    ]
    write("quoted.tsv", b'text\tlabel\n"a\tb ""c"""\t0\n')
    assert str(data.load("quoted.tsv")[0].text) == 'a\tb "c"'


@pytest.mark.parametrize(
    ("header", "given", "columns"),
    [
        ("review,stars", {}, "text=review (guessed), label=stars (guessed)"),
        ("stars,id,review", {}, "text=review (guessed), label=stars (guessed)"),
        ("prompt,label", {}, "text=prompt (guessed), label=label (guessed)"),
        ("prompt,kind", {"text": "prompt"}, "text=prompt, label=kind (guessed)"),
        ("prompt,kind", {"label": "kind"}, "text=prompt (guessed), label=kind"),
        ("premise,hypothesis,kind", {}, "text=premise (guessed), pair=hypothesis (guessed), label=kind (guessed)"),
    ],
)
def test_the_only_column_left_is_taken_and_told(
    write: Write, header: str, given: dict[str, str], columns: str
) -> None:
    write("x.csv", f"{header}\n{','.join(['1'] * (header.count(',') + 1))}\n".encode())
    assert data.load("x.csv", **given).columns.describe().startswith(f"columns: {columns}")  # type: ignore[arg-type]


@pytest.mark.parametrize("header", ["review,id", "text,idx", "text", "text,stars,helpful", "prompt,kind"])
def test_no_column_is_taken_where_none_or_several_could_be_meant(write: Write, header: str) -> None:
    write("x.csv", f"{header}\n{','.join(['1'] * (header.count(',') + 1))}\n".encode())
    with pytest.raises(UserError, match="has no column that looks like the"):
        data.load("x.csv")
