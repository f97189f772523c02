"""Models that stand in for people, and are never taken for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from tests.end_to_end.command import fetch_or_skip, unfool
from tests.rating.conftest import MakeRun, rate, right
from tests.victims.prompted.test_causal import save
from transformers import AutoModelForCausalLM, AutoTokenizer

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
    assert "judged by a model that stands in for people, py:judge:answer:" in told.out
    assert "its accuracy" in told.out
    assert "human accuracy" not in told.out


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


def test_any_causal_model_votes_under_its_name(make_run: MakeRun, tmp_path: Path) -> None:
    model = save(tmp_path / "tiny-gpt2", "gpt2")
    make_run("a", 3)
    make_run("b", 3)
    study = new_study(tmp_path / "study", [tmp_path / "a", tmp_path / "b"], "readability", gold=0)
    done = unfool("rate", "vote", "study", "--language-model", "tiny-gpt2", cwd=tmp_path)
    assert done.code == 0, done.err
    assert {vote.rater for vote in study.stand_in_votes()} == {"model:tiny-gpt2"}
    assert results(study, "model").stand_in == "tiny-gpt2"
    # It prefers what it finds likelier, token by token.
    net, tokenizer = AutoModelForCausalLM.from_pretrained(model), AutoTokenizer.from_pretrained(model)
    for vote, item in zip(study.stand_in_votes(), study.items, strict=True):
        first, second = (perplexity(net, tokenizer, text) for (text,) in item.texts)
        assert vote.answer == ("0" if first <= second else "1")
    told = unfool("rate", "results", "study", "--raters", "model", cwd=tmp_path)
    assert "stands in for people, tiny-gpt2:" in told.out
    missing = unfool("rate", "vote", "study", "--language-model", "./none", cwd=tmp_path)
    assert (missing.code, "there is no model folder ./none" in missing.err) == (2, True)


def perplexity(net: Any, tokenizer: Any, text: str) -> float:
    """Return the mean surprise of a text's tokens, each seen after those before it."""
    tokens = torch.tensor([[tokenizer.bos_token_id, *tokenizer(text, add_special_tokens=False)["input_ids"]]])
    with torch.no_grad():
        return float(net(input_ids=tokens, labels=tokens).loss)


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
