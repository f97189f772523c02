"""Counts of words: the paper's printed figures, and its Equation 2."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.end_to_end.command import fetch_or_skip
from tests.transfer.rule_toys import Linear, corpus

from unfool.rules import Association, RuleFilter, WordCounts, mine_into, mine_rules, pmi_salience
from unfool.text import Sample, Text


def counts(texts: list[tuple[str, int]]) -> WordCounts:
    return WordCounts((Sample(n, Text.of(text), label) for n, (text, label) in enumerate(texts)), 2)


def test_words_of_one_label_stand_one_bit_above_words_of_both() -> None:
    # Table 6 of the paper: 6.478 for words of one class only, 5.478 for words of both alike, 0 for unseen pairs.
    found = counts([("only both", 0), ("rare both", 1)])
    assert found.pmi("only", 0) - found.pmi("both", 0) == pytest.approx(1.0)
    assert found.pmi("both", 0) == found.pmi("both", 1) == pytest.approx(2.0)  # log2(2 labels × 2 words a text)
    assert found.pmi("only", 1) == 0.0
    assert found.pmi("never", 0) == 0.0
    assert found.pmi("ONLY", 0) == found.pmi("only", 0)


def test_unequal_labels_do_not_tilt_the_scale() -> None:
    found = counts([("a b", 0), ("a b", 0), ("a b", 0), ("a b", 1)])
    assert found.pmi("a", 0) == found.pmi("a", 1)


def test_equation_two_on_the_papers_rule() -> None:
    # funny → laughable: 5.792 → 0.000 with the label, 4.980 → 6.478 with the other.
    associations = [Association(4.980, 6.478), Association(5.792, 0.0)]
    assert pmi_salience(associations, 1) == pytest.approx(5.792 + 1.498, abs=1e-9)
    assert pmi_salience(associations, 0) == pytest.approx(-(5.792 + 1.498), abs=1e-9)


def test_no_words_at_all() -> None:
    assert counts([("", 0), ("…", 1)]).pmi("word", 0) == 0.0
    assert counts([]).by_label("word") == (0, 0)


def test_rules_by_counts_ask_nobody_and_prefer_words_of_the_other_label(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    data = corpus(tmp_path, ["a picture", "a picture", "a movie", "a movie"], [1, 1, 0, 0])
    book = mine_rules([], data, tmp_path / "rules.jsonl", by="pmi", progress=False)
    best = book.rules[0]
    assert {(best.label, best.word, best.substitute)} <= {("pos", "picture", "movie"), ("neg", "movie", "picture")}
    assert best.salience == pytest.approx(2 * best.pmi[best.label].word)
    assert best.support == 2
    assert best.flips == best.right == 0


def test_a_mining_with_models_also_gives_the_rules_by_counts(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    data, everything = corpus(tmp_path), RuleFilter(per_word=None, all=True)
    alone = mine_into([], data, tmp_path / "counted", by="pmi", progress=False).book(everything)
    mined = mine_into([Linear(1.0), Linear(0.3)], data, tmp_path / "mined", progress=False).book(
        everything, models=()
    )
    assert len(alone) > 200
    assert [replace(rule, right=0, flips=0, example=None) for rule in mined.rules] == list(alone.rules)
    assert (mined.origin["by"], mined.origin["members"]) == ("pmi", [])
