"""An evaluation calls an answer wrong by the rule of the attacks: a tie is none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.made_outcomes import outcome

from unfool.defences.evaluate import HeldAgain, ask_labels, held_again
from unfool.engine import Floats, Verdict
from unfool.job import repeat
from unfool.runs import Run
from unfool.text import Sample, Text
from unfool.victims import Input, TextVictim


class Undecided(TextVictim):
    """Cannot tell; its last bits go now this way and now that."""

    labels = ("negative", "positive")

    def __init__(self) -> None:
        self._asked = 0

    def __repr__(self) -> str:
        return "Undecided()"

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        self._asked += 1
        more = 1e-6 * (-1) ** self._asked
        return np.array([[0.5 + more, 0.5 - more]] * len(inputs), dtype=np.float32)


SAMPLES = [Sample(number, Text.of(f"film {number}"), number % 2) for number in range(4)]


def test_an_evaluation_calls_no_tie_wrong() -> None:
    assert ask_labels(Undecided(), SAMPLES, ("negative", "positive")).given == (0, 1, 0, 1)
    # The victim may have the data's labels in another order.
    assert ask_labels(Undecided(), SAMPLES, ("positive", "negative")).given == (0, 1, 0, 1)


def test_noise_in_a_tie_is_no_other_label() -> None:
    assert repeat(Undecided(), SAMPLES, 2).changed_label == 0


@pytest.mark.parametrize("label", [0, 1])
def test_a_success_that_ends_in_a_tie_anew_does_not_hold(tmp_path: Path, label: int) -> None:
    with Run.create(tmp_path / "run", {"labels": ["0", "1"], "data_labels": ["0", "1"]}) as run:
        run.record(outcome(label=label, after=Verdict(1 - label, 0.9)))
        run.finish()
    assert held_again(Undecided(), run, 2) == HeldAgain(1, 0.0, 1.0, float(label == 0))
