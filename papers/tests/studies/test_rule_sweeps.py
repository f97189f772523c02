"""Sweeps: one run at the largest budget tells what runs at smaller ones would."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tests.end_to_end.command import fetch_or_skip
from tests.transfer.rule_toys import SENTENCES, Counting, Linear, corpus

from unfool.data import Dataset
from unfool.engine import Predictor
from unfool.errors import UserError, VictimError
from unfool.rules import Rule, RuleBook, apply_rules, mine_into
from unfool.victims import Input, callable_victim
from unfool_papers.transferability.rule_sweeps import (
    FoolsMost,
    books_by_size,
    by_budget,
    by_class,
    fool_most,
    judge_all,
)


@pytest.fixture(autouse=True, scope="module")
def _wordnet() -> None:
    fetch_or_skip("wordnet")


@pytest.fixture
def data(tmp_path: Path) -> Dataset:
    return corpus(tmp_path, SENTENCES, [Counting().label((text,)) for text in SENTENCES])


def test_budgets(tmp_path: Path, data: Dataset) -> None:
    book = mine_into([Counting()], data, tmp_path / "parts", progress=False).book()
    widest = apply_rules(book, data, 0.5, Counting(), least=1, out=tmp_path / "widest", progress=False)
    budgets = (0.05, 0.1, 0.2, 0.3, 0.5)
    told = by_budget([widest], budgets)
    for budget in budgets:
        run = apply_rules(book, data, budget, Counting(), least=1, out=tmp_path / str(budget), progress=False)
        assert told[budget] == pytest.approx(100 * (run.summary.success_rate.value or 0), abs=0.06)
    assert told[0.05] < told[0.5]


def test_sizes_and_classes(tmp_path: Path, data: Dataset) -> None:
    members = [Linear(1.0), Linear(0.1)]
    books = books_by_size(mine_into(members, data, tmp_path / "parts", progress=False), (1, 2))
    assert [book.origin["members"] for book in books.values()] == [["Linear(1.0)"], ["Linear(1.0)", "Linear(0.1)"]]
    named = {str(size): book for size, book in books.items()}
    runs = judge_all(named, data, Counting(), tmp_path / "runs")
    judged = Counting()
    assert judge_all(named, data, judged, tmp_path / "runs")["1"].summary == runs["1"].summary
    assert judged.seen == []  # all was there already
    names = {"zoo:LSTM-C-Random-1@x": runs["1"], "zoo:BERT@x": runs["2"], "hf:other": runs["2"]}
    found = by_class(names)
    rate = {name: 100 * (run.summary.success_rate.value or 0) for name, run in runs.items()}
    assert set(found) == {"ALL", "Character", "BERT"}
    assert found["Character"].success == pytest.approx(rate["1"], abs=0.06)
    assert found["ALL"].success == pytest.approx((rate["1"] + 2 * rate["2"]) / 3, abs=0.06)
    assert found["ALL"].models == 3


class Flaky(Counting):
    """Gives no answer about texts with a certain word."""

    def __init__(self, unanswered: str) -> None:
        super().__init__()
        self._unanswered = unanswered

    def probabilities(self, inputs: Sequence[Input]) -> list[ArrayLike | VictimError]:
        found = np.asarray(super().probabilities(inputs))
        return [
            VictimError("it is down") if self._unanswered in strings[0].split() else row
            for strings, row in zip(inputs, found, strict=True)
        ]


def test_texts_without_a_result_are_judged_again(tmp_path: Path, data: Dataset) -> None:
    books = {"book": mine_into([Counting()], data, tmp_path / "parts", progress=False).book()}
    failed = judge_all(books, data, Flaky("film"), tmp_path / "runs")["book"].summary
    assert failed.errors
    mended = judge_all(books, data, Flaky(""), tmp_path / "runs")["book"].summary
    assert (mended.errors, mended.samples) == (0, len(SENTENCES))


def test_what_was_judged_otherwise_is_not_taken_for_it(tmp_path: Path, data: Dataset) -> None:
    mined = mine_into([Counting()], data, tmp_path / "parts", progress=False)
    judge_all({"book": mined.book()}, data, Counting(), tmp_path / "runs", n=5)
    for book, texts in ((mined.book(), 6), (RuleBook(data.labels, (Rule("pos", "film", "movie"),)), 5)):
        with pytest.raises(UserError, match="other settings"):
            judge_all({"book": book}, data, Counting(), tmp_path / "runs", n=texts)


def test_the_texts_that_fool_most(tmp_path: Path) -> None:
    def judging(*praise: str) -> Predictor:
        def probabilities(texts: Sequence[str]) -> list[list[float]]:
            return [[0.1, 0.9] if set(praise) & set(text.split()) else [0.9, 0.1] for text in texts]

        return callable_victim(probabilities, ("neg", "pos"))

    good, great = Rule("pos", "good", "nice", 2.0), Rule("pos", "great", "very large", 1.0)
    book = RuleBook(("neg", "pos"), (good, great))
    texts = ["a good and great film", "a good film", "a great film", "a film", "a mess"]
    data = corpus(tmp_path, texts, [1, 1, 1, 1, 0])
    judges = [judging("good"), judging("good", "great"), judging("film")]
    runs = [
        apply_rules(book, data, 0.5, each, out=tmp_path / str(number), progress=False)
        for number, each in enumerate(judges)
    ]
    assert fool_most(runs, 2) == [
        FoolsMost(1, 1, "a [good → nice] film", fooled=2, right=3),
        FoolsMost(0, 1, "a [good → nice] and [great → very large] film", fooled=2, right=3),
    ]
    assert [each.id for each in fool_most(runs, 9)] == [1, 0, 2]


def test_labels_are_the_datas_whatever_a_judge_calls_them(tmp_path: Path) -> None:
    turned = callable_victim(
        lambda texts: [[0.9, 0.1] if "good" in text else [0.1, 0.9] for text in texts], ("pos", "neg")
    )
    book = RuleBook(("neg", "pos"), (Rule("pos", "good", "nice"),))
    run = apply_rules(
        book, corpus(tmp_path, ["a good film", "a mess"], [1, 0]), 0.5, turned, out=tmp_path / "run", progress=False
    )
    assert [(each.label, each.fooled) for each in fool_most([run])] == [(1, 1)]
