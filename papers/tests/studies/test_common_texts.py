"""Texts that all victims have right, and two attacks side by side on the same texts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.made_outcomes import outcome
from tests.toy_table import Table

from unfool import attack
from unfool.engine import Outcome, Status
from unfool.stats import mcnemar
from unfool.text import Text
from unfool_papers.analysis import Pair
from unfool_papers.self_attention.common_texts import shared
from unfool_papers.self_attention.side_by_side import Both, how_far

FOOLED, KEPT, WRONG = Status.SUCCESS, Status.FAILED, Status.SKIPPED


def run(*statuses: Status) -> list[Outcome]:
    return [outcome(number=number, status=status) for number, status in enumerate(statuses)]


def test_a_text_that_one_victim_has_wrong_is_no_common_one() -> None:
    runs = {
        ("list", "LSTM"): run(FOOLED, FOOLED, WRONG, KEPT, FOOLED),
        ("list", "BERT"): run(FOOLED, KEPT, FOOLED, WRONG, KEPT),
    }
    found = shared(runs, 100)
    assert (found.texts, found.of) == ((0, 1, 4), 3)
    assert (found.success("list", "LSTM").count, found.success("list", "BERT").count) == (3, 1)
    assert found.chance("list", "LSTM", "BERT") == mcnemar(2, 0)


def test_the_same_texts_are_drawn_for_every_victim_and_every_time() -> None:
    runs = {("list", victim): run(*[FOOLED] * 50) for victim in ("LSTM", "BERT")}
    first, again = shared(runs, 20), shared(runs, 20)
    assert first.texts == again.texts
    assert (len(first.texts), first.of) == (20, 50)
    assert first.texts != tuple(range(20))


def first_letters(texts: list[str]) -> np.ndarray:
    """Answer by whether a text has a long word."""
    long = np.array([max(map(len, text.split()), default=0) > 6 for text in texts], float)
    return np.stack([1 - 0.8 * long - 0.1, 0.8 * long + 0.1], axis=1)


def test_of_two_runs_the_texts_that_both_fooled_are_paired(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    texts = [("a plain film", 0), ("a wonderful film", 1), ("it is wonderful", 1), ("so so", 0)]
    one, two = (
        attack(first_letters, texts, f"random:trials={trials}", out=tmp_path / str(trials), progress=False)
        for trials in (40, 60)
    )
    both = Both.of("toy", one, two)
    fooled = [{each.id for each in run.outcomes() if each.status is FOOLED} for run in (one, two)]
    assert len(both.pairs) == both.counted.both == len(fooled[0] & fooled[1]) > 0
    for first, second in both.pairs:
        assert first.original == second.original


def test_how_far_a_vector_moves_is_the_sum_of_absolute_differences() -> None:
    good = Text.of("a good film")
    far, near = Pair(good, Text.of("a bad film")), Pair(good, Text.of("a film film"))
    moved = how_far(Table(), [(far, near)] * 6)
    # "good" is (3, 4), "bad" zero, "film" (0, 2).
    assert (moved.first.value, moved.second.value) == (7, 5)
    assert moved.p == mcnemar(6, 0) < 0.05
