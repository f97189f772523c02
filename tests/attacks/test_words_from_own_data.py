"""Attacks that learn their words from training texts learn from the data under attack, unless told otherwise."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.end_to_end.command import VADER, fetch_or_skip

import unfool
from unfool.attacks import find_attack
from unfool.data import from_texts
from unfool.errors import UserError
from unfool.victims import open_victim

ROWS = [(f"{word} film, such a {word} plot", label) for label, word in enumerate(("awful", "lovely"))] * 15


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fetch_or_skip("glove-840b-300d")
    monkeypatch.setattr("unfool.attacks.parts.naive_bayes.open_victim", open_victim)
    monkeypatch.setattr("unfool.zoo.victim_names.cache_root", lambda: tmp_path / "cache")
    path = tmp_path / "texts.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *ROWS])
    return path


@pytest.mark.parametrize("attack", ["strongest-swap", "tack-on"])
def test_a_users_own_file(attack: str, texts: Path, tmp_path: Path) -> None:
    run = unfool.attack(VADER, str(texts), attack, n=6, out=tmp_path / "run", progress=False)
    assert run.summary.samples == 6
    assert f"nb=zoo:NB@{texts}" in str(run.config["attack"])


def test_words_speak_against_the_label_the_data_give_it(texts: Path, tmp_path: Path) -> None:
    named = tmp_path / "named.csv"
    rows = [(text, ("negative", "positive")[label]) for text, label in ROWS]
    with named.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])

    def backwards(strings: list[str]) -> list[list[float]]:
        return [[0.9, 0.1] if "lovely" in string else [0.1, 0.9] for string in strings]

    victim = unfool.victims.callable_victim(backwards, labels=("positive", "negative"))
    data = unfool.data.load(str(named))
    attack = "strongest-swap:n=1,replacement=strongest"
    run = unfool.attack(victim, data, attack, out=tmp_path / "run", progress=False)
    lovely = [outcome for outcome in run.outcomes() if "lovely" in outcome.original[0]]
    assert lovely
    assert all("awful" in outcome.perturbed[0] for outcome in lovely)


def test_the_papers_setting_is_as_it_was() -> None:
    assert repr(find_attack("tack-on").for_data("imdb")) == "tack-on:nb=zoo:NB@imdb"
    assert repr(find_attack("tack-on:nb=zoo:NB@sst2").for_data("imdb")) == "tack-on:nb=zoo:NB@sst2"


def test_texts_without_a_file_are_refused_and_leave_nothing(texts: Path, tmp_path: Path) -> None:
    data = from_texts(["a lovely film", "an awful film"], ["positive", "negative"])
    with pytest.raises(UserError, match=r"name a Naive Bayes of data at hand, nb=zoo:NB@FILE\.csv"):
        unfool.attack(VADER, data, "strongest-swap", out=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()
