"""Applying rules: never more than the budget, never a word to the target while texts are made."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.end_to_end.command import fetch_or_skip
from tests.transfer.rule_toys import SENTENCES, Counting, corpus

from unfool.data import load
from unfool.errors import UserError
from unfool.rules import Rewriter, Rule, RuleBook, apply_rules, mine_rules, rewrite_data
from unfool.runs import export
from unfool.text import Sample, Text, diff

LABELS = ("neg", "pos")
BOOK = RuleBook(
    LABELS,
    (
        Rule("pos", "good", "beneficial", 3.0),
        Rule("pos", "film", "movie", 2.0),
        Rule("pos", "great", "bully", 2.5),
        Rule("pos", "cast", "mold", -1.0),
        Rule("pos", "plot", "patch", 1.0),
        Rule("pos", "good", "dear", 1.5),
        Rule("neg", "bad", "sorry", 3.0),
        Rule("neg", "film", "picture", 3.0),
    ),
)


def steps(text: str, label: int, budget: float, least: int = 0) -> list[str]:
    return [str(step) for step in Rewriter(BOOK, LABELS, budget, least).texts(Sample(0, Text.of(text), label))]


def test_the_best_rule_goes_first_and_each_word_changes_once() -> None:
    assert steps("a good film with a great cast", 1, 1.0) == [
        "a beneficial film with a great cast",
        "a beneficial film with a bully cast",
        "a beneficial movie with a bully cast",
    ]
    assert steps("good, GOOD. Good", 1, 1.0)[-1] == "beneficial, BENEFICIAL. Beneficial"


def test_rules_of_another_label_do_not_apply() -> None:
    assert steps("a good film", 0, 1.0) == ["a good picture"]
    assert steps("bad", 1, 1.0) == []


@pytest.mark.parametrize(
    ("budget", "least", "changes"),
    [(0.3, 0, 3), (0.29, 0, 2), (0.1, 0, 1), (0.09, 0, 0), (0.09, 1, 1), (1.0, 0, 10)],
)
def test_a_share_of_a_word_is_none(budget: float, least: int, changes: int) -> None:
    assert len(steps(" ".join(["good"] * 10), 1, budget, least)) == changes


rulebooks = st.lists(
    st.builds(
        Rule,
        st.sampled_from(LABELS),
        st.sampled_from(["good", "bad", "film", "ok"]),
        st.sampled_from(["movie", "it's", "U.S.", "x-y", "BAD"]),
        st.floats(-5, 5),
    )
)


@given(
    found=rulebooks,
    text=st.lists(st.sampled_from(["good", "Bad", "film", "…", "<b>", "ok", "\ud800"])).map(" ".join),
    label=st.sampled_from([0, 1]),
    budget=st.floats(0.001, 1.0),
)
def test_never_more_than_the_budget(found: list[Rule], text: str, label: int, budget: float) -> None:
    original = Text.of(text)
    made = Rewriter(RuleBook(LABELS, tuple(found)), LABELS, budget).texts(Sample(0, original, label))
    for number, changed in enumerate(made, start=1):
        assert diff(original, changed).words_changed <= number <= budget * len(original.words)


def test_a_budget_that_is_no_share_is_refused() -> None:
    for budget in (0.0, -1.0, 1.5, float("nan")):
        with pytest.raises(UserError, match="budget"):
            Rewriter(BOOK, LABELS, budget)


def test_the_victim_is_asked_about_finished_texts_alone(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    data = corpus(tmp_path, SENTENCES, [Counting().label((text,)) for text in SENTENCES])
    book = mine_rules([Counting()], data, tmp_path / "rules.jsonl", progress=False)
    victim, rewriter = Counting(), Rewriter(book, LABELS, 0.3)
    run = apply_rules(book, data, 0.3, victim, out=tmp_path / "run", progress=False)
    # What may be asked was fixed before the victim existed: the originals and their rewritings.
    allowed = {sample.text.strings for sample in data}
    allowed |= {text.strings for sample in data for text in rewriter.texts(sample)}
    assert set(victim.seen) <= allowed
    outcomes = list(run.outcomes())
    assert len(outcomes) == len(SENTENCES)
    attacked = [outcome for outcome in outcomes if outcome.status != "skipped"]
    assert {outcome.status for outcome in attacked} == {"success", "failed"}
    for outcome in attacked:
        made = [text.strings for text in rewriter.texts(data[outcome.id])]
        assert outcome.words_changed <= 0.3 * outcome.words
        assert outcome.perturbed == (made[outcome.words_changed - 1] if outcome.words_changed else outcome.original)
        before = made[: outcome.words_changed - 1] if outcome.status == "success" else made
        assert all(victim.label(text) == outcome.label for text in before)
        if outcome.status == "failed":
            assert outcome.words_changed == len(made)
    export(run, "csv", tmp_path / "run.csv")
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 1 + len(SENTENCES)


def test_rewriting_alone_makes_a_data_set(tmp_path: Path) -> None:
    data = corpus(tmp_path)
    changed = rewrite_data(BOOK, data, 0.3, tmp_path / "new.jsonl")
    with pytest.raises(UserError, match=r"new\.txt must end in \.jsonl"):
        rewrite_data(BOOK, data, 0.3, tmp_path / "new.txt")
    with pytest.raises(UserError, match="is there already"):
        rewrite_data(BOOK, load(str(tmp_path / "new.jsonl")), 0.3, tmp_path / "new.jsonl")
    again = load(str(tmp_path / "new.jsonl"))
    assert len(again) == len(data)
    assert again.labels == data.labels
    rewriter = Rewriter(BOOK, LABELS, 0.3)
    for old, new in zip(data, again, strict=True):
        made = rewriter.texts(old)
        assert new.label == old.label
        assert new.text.strings == (made[-1] if made else old.text).strings
    assert changed == sum(bool(rewriter.texts(sample)) for sample in data) > 0


def test_labels_go_by_name_and_else_by_number(tmp_path: Path) -> None:
    sample = Sample(0, Text.of("a good film"), 0)
    assert [str(text) for text in Rewriter(BOOK, ("POS", "neg"), 0.4).texts(sample)] == ["a beneficial film"]
    assert [str(text) for text in Rewriter(BOOK, ("0", "1"), 0.4).texts(sample)] == ["a good picture"]
    with pytest.raises(UserError, match="labels"):
        Rewriter(BOOK, ("a", "b", "c"), 0.4)


def test_a_victim_that_orders_its_labels_otherwise_is_judged_alike(tmp_path: Path) -> None:
    turned = Counting()
    turned.labels = ("pos", "neg")
    straight = apply_rules(BOOK, corpus(tmp_path), 0.3, Counting(), out=tmp_path / "straight", progress=False)
    run = apply_rules(BOOK, corpus(tmp_path), 0.3, turned, out=tmp_path / "turned", progress=False)
    # Its answers are the other way round, so what one has right the other has wrong; the texts are the same.
    both = {outcome.id: outcome for outcome in run.outcomes()}
    rewriter = Rewriter(BOOK, LABELS, 0.3)
    for outcome in straight.outcomes():
        assert (outcome.status == "skipped") != (both[outcome.id].status == "skipped")
        made = [text.strings for text in rewriter.texts(corpus(tmp_path)[outcome.id])]
        assert both[outcome.id].perturbed in (both[outcome.id].original, *made)


def test_a_victim_with_more_labels_than_the_data(tmp_path: Path) -> None:
    richer = Counting()
    richer.labels = ("other", "pos", "neg")
    richer.probabilities = lambda inputs: [[0.0, 1.0, 0.0]] * len(inputs)  # type: ignore[method-assign]
    data = corpus(tmp_path)
    run = apply_rules(BOOK, data, 0.3, richer, out=tmp_path / "run", progress=False)
    rewriter = Rewriter(BOOK, LABELS, 0.3)
    for outcome in run.outcomes():
        made = rewriter.texts(data[outcome.id]) if outcome.status != "skipped" else []
        assert outcome.perturbed == (made[-1].strings if made else outcome.original)
