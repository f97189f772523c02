"""A victim that answers at random is told: before the table, in the summary, and on the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unfool
from tests.toys import BagOfWords
from unfool.cli.printing import print_runs
from unfool.data import from_texts
from unfool.errors import VictimError
from unfool.report import write
from unfool.victims import Input

TEXTS = from_texts([f"a good film of {number} hours" for number in range(12)], ["a", "b"] * 6)


class Coin(BagOfWords):
    """Tosses a coin about each text, and will not speak about the third."""

    def __init__(self) -> None:
        super().__init__()
        self._random = np.random.default_rng(0)

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        chance = self._random.random(len(inputs)).astype(np.float32)
        rows = np.stack([chance, 1 - chance], axis=1)
        return [VictimError("no") if " 2 " in text else row for (text,), row in zip(inputs, rows, strict=True)]


def attacked(victim: Any, folder: Path, **options: Any) -> unfool.Run:
    return unfool.attack(victim, TEXTS, "key-star", out=folder, progress=False, **options)


def test_a_coin_is_caught(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = attacked(Coin(), tmp_path / "run")
    found = run.summary.random_answers
    assert found is not None
    assert (found.texts, found.times, found.changed_at_all) == (7, 2, 7)
    assert run.summary.to_dict()["random_answers"]["changed_label"] == found.changed_label
    print_runs([run], examples=0)
    told, table = capsys.readouterr().out.split("\n", 1)
    assert told.startswith("note: This victim answers at random: asked twice about the same 7 texts")
    assert "success rate" in table
    write([run], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "This victim answers at random" in page
    assert '"random_answers": {"texts": 7' in page


def test_one_that_keeps_to_its_answers_is_asked_eight_texts_twice_and_nothing_is_told(tmp_path: Path) -> None:
    class Counting(BagOfWords):
        asked = 0

        def probabilities(self, inputs: Sequence[Input]) -> Any:
            self.asked += len(inputs)
            return super().probabilities(inputs)

    victim = Counting()
    run = attacked(victim, tmp_path / "run")
    assert run.summary.random_answers is None
    assert b"random_answers" not in (tmp_path / "run" / "summary.json").read_bytes()
    outcomes = list(run.outcomes())
    # Samples may share texts: then a text was asked once and counts as a query of each.
    assert 16 < victim.asked <= 16 + sum(outcome.queries + outcome.checks for outcome in outcomes)
