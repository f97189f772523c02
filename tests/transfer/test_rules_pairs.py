"""Pairs of texts: only the fields that may be edited give rules, are rewritten, and are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.end_to_end.command import fetch_or_skip, unfool
from tests.toys import BagOfWords

from unfool.data import Dataset, load
from unfool.errors import UserError
from unfool.report import audit
from unfool.rules import Rule, RuleBook, apply_rules, mine_into, rewrite_data
from unfool.transfer import Study, study


@pytest.fixture
def pairs(tmp_path: Path) -> Dataset:
    fetch_or_skip("wordnet")
    victim = BagOfWords()
    rows = [
        ("a good film", "the <b>movie</b> is great"),
        ("a dull plot", "a bad story"),
        ("a song", "a happy song"),
        ("cold", "a poor script"),
        ("an old tale", "hard to watch"),
        ("fine", "a slow ride"),
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text(
        "".join(
            json.dumps({"premise": first, "hypothesis": second, "label": victim.label((first, second))}) + "\n"
            for first, second in rows
        )
    )
    return load(str(path), edit="hypothesis", labels=["class 0", "class 1"])


def test_only_the_editable_field_is_mined(tmp_path: Path, pairs: Dataset) -> None:
    book = mine_into([BagOfWords()], pairs, tmp_path / "parts", progress=False).book()
    words = {rule.word for rule in book.rules}
    assert not words & {"good", "film", "dull", "plot", "cold", "old", "tale", "fine"}
    assert len(words) > 5


def test_only_the_editable_field_is_rewritten(tmp_path: Path, pairs: Dataset) -> None:
    rules = tuple(Rule(label, "song", "vocal") for label in pairs.labels)
    assert rewrite_data(RuleBook(pairs.labels, rules), pairs, 0.4, tmp_path / "new.jsonl") == 1
    again = load(str(tmp_path / "new.jsonl"), labels=list(pairs.labels))
    assert again[2].text.strings == ("a song", "a happy vocal")
    assert again[0].text.strings == pairs[0].text.strings


def test_examples_show_the_field_that_changed(tmp_path: Path, pairs: Dataset) -> None:
    found = audit(BagOfWords(), pairs, tmp_path / "page.html", n=None, support=1, progress=False)
    examples = [example for finding in found.findings for example in finding.examples]
    assert examples
    seconds = {sample.text.strings[1] for sample in pairs}
    assert all(example.before + example.word + example.after in seconds for example in examples)
    assert "<b>movie" not in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_pairs_edited_otherwise_are_other_work(tmp_path: Path, pairs: Dataset) -> None:
    both = load(str(tmp_path / "pairs.jsonl"), labels=list(pairs.labels))
    assert both.fingerprint == pairs.fingerprint
    mine_into([BagOfWords()], pairs, tmp_path / "parts", progress=False)
    with pytest.raises(UserError, match="the columns that attacks may change"):
        mine_into([BagOfWords()], both, tmp_path / "parts", resume=True, progress=False)
    toy = "py:tests.transfer.crowd:pairs_one"
    study([toy], pairs, "greedy-synonym", out=tmp_path / "s", progress=False)
    with pytest.raises(UserError, match="the columns that attacks may change"):
        study([toy], both, "greedy-synonym", out=tmp_path / "s", resume=True, progress=False)
    book = RuleBook(pairs.labels, (Rule("class 0", "song", "vocal"),))
    apply_rules(book, pairs, 0.3, BagOfWords(), out=tmp_path / "run", progress=False)
    with pytest.raises(UserError, match="the columns that attacks may change"):
        apply_rules(book, both, 0.3, BagOfWords(), out=tmp_path / "run", resume=True, progress=False)


def test_a_study_of_pairs(tmp_path: Path, pairs: Dataset) -> None:
    done = unfool(
        *("transfer", "--victims", "py:tests.transfer.crowd:pairs_one", "py:tests.transfer.crowd:pairs_two"),
        *("--data", tmp_path / "pairs.jsonl", "--text", "premise", "--pair", "hypothesis", "--edit", "hypothesis"),
        *("--attack", "greedy-synonym", "--out", tmp_path / "s", "--quiet"),
        cwd=Path(__file__).parents[2],
    )
    assert done.code == 0, done.err
    made = Study.open(tmp_path / "s")
    for name in made.victims:
        outcomes = list(made.run(name).outcomes())
        assert len(outcomes) == len(pairs)
        assert all(outcome.perturbed[0] == outcome.original[0] for outcome in outcomes)
        assert any(outcome.perturbed[1] != outcome.original[1] for outcome in outcomes)
    assert made.rate(*made.victims)
