"""Labels renamed as they are read."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.data.conftest import Write

from unfool import data
from unfool.errors import UserError


def named(dataset: data.Dataset) -> list[str]:
    return [dataset.labels[sample.label] for sample in dataset]


@pytest.mark.parametrize(
    ("written", "rename", "labels", "read"),
    [
        (["True", "False"], {"True": "injection", "False": "safe"}, None, ["injection", "safe"]),
        (["True", "False"], {"True": "injection", "False": "safe"}, ["safe", "injection"], ["injection", "safe"]),
        (["a", "b", "c"], {"a": "x", "b": "x"}, None, ["x", "x", "c"]),
        (["0", "1"], {"0": "1", "1": "0"}, None, ["1", "0"]),
        (["1.0", "0.0"], {"1": "bad", "0": "good"}, None, ["bad", "good"]),
        (["neg", "pos"], {"neg": "pos", "pos": "neg"}, None, ["pos", "neg"]),
        (["bad", "good"], {"bad": "1", "good": "0"}, None, ["1", "0"]),
        (["0", "1"], {"0": "1", "1": "0"}, ["no", "yes"], ["yes", "no"]),
        (["0", "1"], {"no": "yes", "yes": "no"}, ["no", "yes"], ["yes", "no"]),
    ],
)
def test_labels_have_their_new_names_before_anything_else(
    write: Write, written: list[str], rename: Mapping[str, str], labels: list[str] | None, read: list[str]
) -> None:
    write("x.csv", "".join(["text,label\n", *(f"t,{label}\n" for label in written)]).encode())
    assert named(data.load("x.csv", rename=rename, labels=labels)) == read


@pytest.mark.parametrize(
    ("rename", "read"),
    [
        ({"World": "news", "Sports": "news"}, ["news", "news", "Tech"]),
        ({"World": "Sports", "Sports": "World"}, ["Sports", "World", "Tech"]),
        ({"World": "Sports"}, ["Sports", "Sports", "Tech"]),
        ({"World": "2", "Sports": "0", "Tech": "1"}, ["2", "0", "1"]),
        ({"0": "news"}, ["news", "Sports", "Tech"]),
    ],
)
def test_names_that_the_file_carries_for_its_ids_are_renamed_too(
    rename: Mapping[str, str], read: list[str]
) -> None:
    features = {"label": {"names": ["World", "Sports", "Tech"], "_type": "ClassLabel"}}
    table = pa.table({"text": ["t"] * 3, "label": [0, 1, 2]})
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    parquet.write_table(table.replace_schema_metadata(metadata), "x.parquet")
    assert named(data.load("x.parquet", rename=rename)) == read


def test_a_name_that_is_not_in_the_file_is_refused(write: Write) -> None:
    write("x.csv", b"text,label\na,True\nb,False\n")
    with pytest.raises(UserError, match=r"'x\.csv' has no label 'true' to rename; did you mean 'True'"):
        data.load("x.csv", rename={"true": "injection"})


def test_other_names_are_other_data(write: Write) -> None:
    write("x.csv", b"text,label\na,True\nb,False\n")
    renamed = data.load("x.csv", rename={"True": "injection", "False": "safe"})
    assert renamed.fingerprint != data.load("x.csv").fingerprint
    assert data.Reading(rename={"True": "injection"}).given == {"rename": {"True": "injection"}}
