"""The page of other languages is made of what was kept and read over, and says no more than that."""

from __future__ import annotations

import pytest
from bench.languages import ATTACKS, LANGUAGES, sentences
from bench.languages_page import PAGE, found, readings, renewed, rows, spelt

from unfool.attacks import find_attack

PROSE = " ".join(PAGE.read_text("utf-8").split())


def test_the_tables_are_those_that_the_results_give() -> None:
    for name in ("jieba", "janome"):
        pytest.importorskip(name)
    assert renewed(PAGE.read_text("utf-8")) == PAGE.read_text("utf-8")


def test_every_language_was_attacked_with_all_that_suits_and_shown() -> None:
    for language in LANGUAGES:
        here = [row for row in rows() if row["language"] == language]
        assert {row["attack"] for row in here if row["victim"] == "trained here"} == set(ATTACKS[language])
        assert all(row["fooled"] >= len(row["examples"]) for row in here)
        assert sum(bool(reading["shown"]) for reading in readings() if reading["language"] == language) >= 3
        assert all(find_attack(row["attack"]).reads(language) for row in here)
        assert len(sentences(language, "train")[0]) == 36
        assert len(sentences(language, "attack")[0]) == 16
    assert len(sentences("Chinese", "messages")[0]) == 20


def test_each_sentence_in_which_synonyms_fooled_was_read_over() -> None:
    read = {(reading["language"], reading["perturbed"]) for reading in readings()}
    for row in rows():
        for example in row["examples"] if row["attack"] == "pwws" else ():
            assert (row["language"], spelt(example["perturbed"])) in read
    assert all(found(reading) for reading in readings())


def test_what_the_prose_says_follows() -> None:
    bert = [row for row in rows() if row["victim"] == "onnx:chinese-harm"]
    (unseen,) = (row for row in bert if row["attack"].startswith("bad-characters"))
    assert unseen["fooled"] == 0
    assert f"Characters of no width fool the Chinese BERT on none of {unseen['right']} messages" in PROSE
    keeps = {reading["perturbed"]: reading["keeps"] == "yes" for reading in readings()}
    judged = [
        keeps[spelt(example["perturbed"])]
        for row in rows()
        if row["attack"] == "pwws"
        for example in row["examples"]
    ]
    assert sum(judged) < len(judged) / 2
    assert "Most of what PWWS finds in these four languages does not keep the meaning." in PROSE
    assert len({row["language"] for row in rows() if row["attack"] == "pwws"}) == 4
