"""What is taken for what."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.made_outcomes import outcome
from tests.toys import BagOfWords

from unfool import data
from unfool.engine import Status, Verdict
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool_papers.analysis import confusion_after_attack, confusion_matrix

TEXTS = ["a fine film", "dull and long", "no plot", "great cast here", "what a day", "so so", "never again"]


def test_answers_are_counted_by_true_label() -> None:
    victim = BagOfWords(3)
    samples = [Sample(number, Text.of(text), number % 3) for number, text in enumerate(TEXTS)]
    figure = confusion_matrix(victim, samples, labels=("A", "B", "C"))
    for row in figure.rows:
        gold, given = ("ABC".index(row[side]) for side in ("true", "answer"))
        asked = [sample for sample in samples if sample.label == gold]
        assert row["of"] == len(asked)
        assert row["count"] == sum(victim.label(sample.text.strings) == given for sample in asked)
    assert len(figure.rows) == 9


def test_labels_are_matched_by_name_and_others_told_apart(tmp_path: Path) -> None:
    victim = BagOfWords(3)  # its labels: class 0, class 1, class 2
    file = tmp_path / "texts.csv"
    file.write_text("text,label\n" + "".join(f"{text},class {2 - n % 2}\n" for n, text in enumerate(TEXTS)))
    figure = confusion_matrix(victim, data.load(str(file)))
    answers = [f"class {victim.label((text,))}" for text in TEXTS]
    for row in figure.rows:
        named = {"another": "class 0"}.get(row["answer"], row["answer"])
        assert row["count"] == sum(
            f"class {2 - n % 2}" == row["true"] and answer == named for n, answer in enumerate(answers)
        )
    assert sum(row["count"] for row in figure.rows) == len(TEXTS)
    assert {row["answer"] for row in figure.rows} == {"class 1", "class 2", "another"}


def test_both_sides_of_an_attack_count_every_text() -> None:
    made = [
        outcome(label=0, before=Verdict(0, 0.9), after=Verdict(1, 0.6)),
        outcome(label=1, before=Verdict(1, 0.9), after=Verdict(1, 0.8), status=Status.FAILED),
        outcome(label=1, before=Verdict(0, 0.9), after=Verdict(0, 0.9), status=Status.SKIPPED),
    ]
    rows = confusion_after_attack(made, labels=("neg", "pos")).rows
    counted = {(row["when"], row["true"], row["answer"]): row["count"] for row in rows if row["count"]}
    assert counted == {
        ("before the attack", "neg", "neg"): 1,
        ("before the attack", "pos", "pos"): 1,
        ("before the attack", "pos", "neg"): 1,
        ("after the attack", "neg", "pos"): 1,
        ("after the attack", "pos", "pos"): 1,
        ("after the attack", "pos", "neg"): 1,
    }


def test_a_text_that_breaks_a_rule_stands_as_it_was() -> None:
    over = outcome(status=Status.FAILED, reason="breaks the constraint words<=0.2")
    rows = confusion_after_attack([over], labels=("neg", "pos")).rows
    counted = [(row["when"], row["answer"]) for row in rows if row["count"]]
    assert counted == [("before the attack", "neg"), ("after the attack", "neg")]


def test_what_cannot_be_counted_is_refused() -> None:
    with pytest.raises(UserError, match="at least one answer"):
        confusion_after_attack([])
    with pytest.raises(UserError, match=r"3 names .* were given for 2 labels"):
        confusion_matrix(BagOfWords(2), [Sample(0, Text.of("a"), 0)], labels=("a", "b", "c"))
