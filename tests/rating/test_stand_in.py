"""Models that stand in for people, and are never taken for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.command import fetch_or_skip, unfool
from tests.rating.conftest import MakeRun, rate, right

from unfool.errors import UserError
from unfool.rating import ask_model, new_study, results
from unfool.stats import Rate

JUDGE = """
def answer(texts):
    return [[0.9, 0.1] if "number 0" in text or "number 2" in text else [0.2, 0.8] for text in texts]
answer.labels = ("bad", "good")
"""
WRONG = """
def answer(texts):
    odd = [int(text.split("number ")[1].split()[0]) % 2 for text in texts]
    return [[0.9, 0.1] if each else [0.1, 0.9] for each in odd]
answer.labels = ("bad", "good")
"""


def test_a_second_classifier_votes_on_labels(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 4)], "label", gold=0)
    (tmp_path / "judge.py").write_text(JUDGE, "utf-8")
    done = unfool("rate", "vote", "study", "--victim", "py:judge:answer", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.code == 0, done.err
    found = results(study, "model")
    assert (found.raters, found.votes, found.valid) == ("model", 8, {})
    assert all(each.votes == Rate(4, 4) for each in found.accuracies)
    assert results(study).votes == 0
    rate(study, right)
    assert results(study).counted == 6
    assert results(study, "model") == found
    told = unfool("rate", "results", "study", "--raters", "model", cwd=tmp_path)
    assert "judged by a model that stands in for people" in told.out


def test_a_stand_in_that_is_wrong_about_gold_items_is_told_as_it_is(make_run: MakeRun, tmp_path: Path) -> None:
    study = new_study(tmp_path / "study", [make_run("pwws", 4, 5)], "label", gold=5)
    (tmp_path / "wrong.py").write_text(WRONG, "utf-8")
    ask_model(study, f"py:{tmp_path / 'wrong.py'}:answer")
    found = results(study, "model")
    assert (found.votes, found.excluded, found.gold) == (8, (), Rate(0, 5))
    told = unfool("rate", "results", "study", "--raters", "model", cwd=tmp_path).out
    assert "0 of 5 answers to gold items right" in told


def test_a_language_model_votes_on_readability(make_run: MakeRun, tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    fetch_or_skip("smollm2")
    study = new_study(tmp_path / "study", [make_run("simple", 3), make_run("zxqv", 3)], "readability", gold=2)
    ask_model(study)
    simple, odd = results(study, "model").readabilities
    assert (simple.method, simple.relative, odd.relative) == ("simple", 1, 0)
    assert results(study).votes == 0


def test_who_cannot_stand_in_is_refused(make_run: MakeRun, tmp_path: Path) -> None:
    run = make_run("pwws", 2)
    study = new_study(tmp_path / "study", [run], "label", gold=0)
    with pytest.raises(UserError, match="--victim"):
        ask_model(study)
    config = run / "config.json"
    config.write_text(
        config.read_text("utf-8").replace('"attack"', '"victim": "py:judge:answer", "attack"'), "utf-8"
    )
    with pytest.raises(UserError, match="no second opinion"):
        ask_model(study, "py:judge:answer")
    meaning = new_study(tmp_path / "meaning", [run], "meaning", gold=0)
    with pytest.raises(UserError, match="no model stands in"):
        ask_model(meaning)
