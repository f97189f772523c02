"""How much words matter, by hand and in colour."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from rich.console import Console
from tests.end_to_end.command import fetch_or_skip
from tests.report.pages import blocks
from tests.transfer.rule_toys import Counting, Linear, toy_net

from unfool.errors import UserError, VictimError
from unfool.report import importance_lines, write_importance
from unfool.rules import Importance, substitute_importance, word_importance
from unfool.text import Sample, Text
from unfool.victims import Input

LABELS = ("neg", "pos")
SAMPLE = Sample(0, Text.of("a good film <script> plot"), 1)


def log_likelihood(victim: Linear, text: str, label: int) -> float:
    logits = victim.logits(text)
    return float(logits[label] - np.log(np.exp(logits).sum()))


def test_the_loss_of_each_word() -> None:
    victim = Linear(0.5)
    found = word_importance([victim, Counting()], SAMPLE, LABELS)
    assert found.words == ("a", "good", "film", "script", "plot")
    before = log_likelihood(victim, "a good film <script> plot", 1)
    wanted = [
        before - log_likelihood(victim, str(SAMPLE.text.replace(position, "[UNK]")), 1) for position in range(5)
    ]
    assert found.values[0] == pytest.approx(wanted, abs=1e-4)
    assert found.values.shape == (2, 5)


def test_what_substitutes_do() -> None:
    fetch_or_skip("wordnet")
    victim = Linear(0.5)
    found = substitute_importance([victim], SAMPLE, 2, LABELS)
    assert "movie" in found.words
    before = log_likelihood(victim, "a good film <script> plot", 1)
    wanted = [before - log_likelihood(victim, f"a good {word} <script> plot", 1) for word in found.words]
    assert found.values[0] == pytest.approx(wanted, abs=1e-4)
    chosen = substitute_importance([victim], SAMPLE, 2, LABELS, ["movie"])
    assert chosen.values[0, 0] == found.values[0, found.words.index("movie")]


class Picky(Counting):
    """Answers about no text with a certain word in it."""

    def __init__(self, word: str) -> None:
        super().__init__()
        self._word = word

    def probabilities(self, inputs: Sequence[Input]) -> list[ArrayLike | VictimError]:
        answers: list[ArrayLike] = list(np.asarray(super().probabilities(inputs)))
        return [
            VictimError("not about this") if self._word in text else answer
            for (text, *_), answer in zip(inputs, answers, strict=True)
        ]


def test_a_word_without_an_answer_has_no_number_and_a_text_without_one_is_refused() -> None:
    (values,) = word_importance([Picky("[UNK] good")], SAMPLE, LABELS).values
    assert np.isnan(values).tolist() == [True, False, False, False, False]
    with pytest.raises(UserError, match=r"gives no answer about the text itself \(.*not about this"):
        word_importance([Picky("a good film")], SAMPLE, LABELS)


def test_nets_use_their_own_unknown_word() -> None:
    found = word_importance([toy_net()], Sample(0, Text.of("a good zxqv , a fine plot"), 1), LABELS)
    assert found.values[0, found.words.index("zxqv")] == 0  # it knows no such word anyway
    assert np.abs(found.values).max() > 0.01


def test_words_that_cannot_be_replaced() -> None:
    fetch_or_skip("wordnet")
    with pytest.raises(UserError, match="no word number 9"):
        substitute_importance([Linear(1.0)], SAMPLE, 9, LABELS)
    with pytest.raises(UserError, match="no synonyms"):
        substitute_importance([Linear(1.0)], SAMPLE, 0, LABELS)
    with pytest.raises(UserError, match="trained for these labels"):
        word_importance([Linear(1.0)], SAMPLE, ("a", "b", "c"))


def page(found: Importance, folder: Path) -> tuple[str, Any]:
    write_importance(found, "importance", folder / "page.html")
    source = (folder / "page.html").read_text()
    (shown,) = blocks(source)["about"]["importances"]
    return source, shown


def test_colours_and_plain_values(tmp_path: Path) -> None:
    found = word_importance([Linear(0.5)], SAMPLE, LABELS)
    console = Console(width=200, record=True, force_terminal=True, color_system="truecolor")
    with console.capture() as captured:
        console.print(importance_lines(found))
    assert "good" in captured.get()
    assert "\x1b[" in captured.get()
    source, shown = page(found, tmp_path)
    assert "<script>alert" not in source
    assert "<script>" in shown["text"]
    assert shown["models"] == found.to_json()["models"]
    assert found.to_json()["models"]["Linear(0.5)"] == found.values[0].tolist()


def test_an_empty_text(tmp_path: Path) -> None:
    found = word_importance([Linear(0.5)], Sample(0, Text.of("…"), 0), LABELS)
    assert found.values.shape == (1, 0)
    assert page(found, tmp_path)[1]["words"] == []
