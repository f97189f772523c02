"""Settings that differ are told in plain words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from unfool.storage import JSON, describe_changes

BEFORE: dict[str, JSON] = {
    "attack": "pwws",
    "victim": "py:m:f",
    "data": "reviews.csv",
    "split": None,
    "fingerprint": "a" * 64,
    "editable": ["text"],
    "n": 60,
    "seed": 0,
    "labels": ["negative", "positive"],
    "data_labels": ["0", "1"],
    "victim_fingerprint": "c" * 64,
    "goal": {"target": None, "confidence": 0.0},
    "budget": {"queries": None, "words": None, "characters": None},
    "approximate": False,
}
FILE = "the data file has changed since this run, or other columns or labels of it are read"
TOLD: dict[str, Mapping[str, JSON]] = {
    "the attack was pwws, and is now list": {"attack": "list"},
    FILE: {"fingerprint": "b" * 64},
    "the data set was reviews.csv, and is now films.csv": {"data": "films.csv", "fingerprint": "b" * 64},
    "the split was none, and is now test": {"split": "test"},
    "the columns that attacks may change were text, and are now text, pair": {"editable": ["text", "pair"]},
    "the number of samples was 60, and is now 10": {"n": 10},
    "the labels of the texts attacked were all, and are now positive": {"from": ["positive"]},
    "the seed was 0, and is now 7": {"seed": 7},
    "the labels were negative, positive, and are now bad, good": {"labels": ["bad", "good"]},
    "the data's labels were 0, 1, and are now no, yes": {"data_labels": ["no", "yes"]},
    "the code of py:m:f has changed since this run": {"victim_fingerprint": "d" * 64},
    "the target was none, and is now positive": {"goal": {"target": 1, "confidence": 0.0}},
    "the confidence was 0.0, and is now 0.9": {"goal": {"target": None, "confidence": 0.9}},
    "the query budget was none, and is now 5": {"budget": {"queries": 5, "words": None, "characters": None}},
    "the share of words that may change was not limited, and is now 0.2": {
        "budget": {"queries": None, "words": 0.2, "characters": None}
    },
    "the search was in full precision (fp32), and is now in half precision (bf16)": {"approximate": True},
    "the constraints were none, and are now words<=0.2, pos": {"constraints": ["words<=0.2", "pos"]},
    "the number of answers averaged (eot) was 1, and is now 8": {"eot": 8},
    "the labels were those of the data, and are now the victim's own answers": {"labelled_by": "victim"},
    "one_more was not set, and is now true": {"one_more": True},
    "what premade.x stands for has changed since this run": {"premade": {"x": "e" * 64}},
}


@pytest.mark.parametrize(("told", "change"), TOLD.items(), ids=[" ".join(change) for change in TOLD.values()])
def test_each_setting_is_told_in_plain_words(told: str, change: Mapping[str, JSON]) -> None:
    before = {**BEFORE, **({"premade": {"x": "f" * 64}} if "premade" in change else {})}
    assert describe_changes(before, {**before, **change}) == told


def test_nothing_is_told_where_nothing_differs() -> None:
    assert describe_changes(BEFORE, BEFORE) == ""


def test_several_are_told_together_and_files_of_a_victim_are_no_code() -> None:
    before = {**BEFORE, "victim": "hf:./m"}
    told = describe_changes(before, {**before, "seed": 1, "victim_fingerprint": "d" * 64})
    assert told == "the seed was 0, and is now 1; the files of hf:./m have changed since this run"
