"""A tie is nobody's success: the victim is wrong only where a wrong label is strictly ahead of the right one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tests.toys import outcomes

from unfool.engine import Ask, Floats, Goal, Outcome, Status, Verdict, answered_labels, leading
from unfool.report import sample_lines
from unfool.runs import outcome_from_line, to_line
from unfool.text import Sample, Text
from unfool.victims import Input, TextVictim


class Counting(TextVictim):
    """The more often a label's word stands in a text, the likelier the label."""

    def __init__(self, words: Sequence[str] = ("good", "bad"), noise: float = 0.0) -> None:
        self.labels, self._noise = tuple(words), noise

    def __repr__(self) -> str:
        return "Counting()"

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        counts = np.array([[1 + text.split().count(word) for word in self.labels] for (text,) in inputs])
        # What a batch's shape does to the last bits of an answer.
        return np.asarray(
            counts / counts.sum(axis=1, keepdims=True) + [[self._noise, *[0.0] * (len(self.labels) - 1)]]
        )


def changing_to(word: str, searched: list[bool]) -> object:
    async def attack(sample: Sample, ask: Ask) -> Text:
        changed = sample.text.replace(0, word)
        searched.append(await ask.fooled(changed))
        return changed

    return attack


def attacked(text: str, label: int, word: str, victim: Counting, goal: Goal | None = None) -> tuple[Outcome, bool]:
    searched: list[bool] = []
    (found,) = outcomes(victim, [Sample(0, Text.of(text), label)], changing_to(word, searched), goal=goal)
    return found, searched == [True]


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("noise", [0.0, 2e-6, -2e-6])
def test_a_tie_after_the_attack_is_no_success_whichever_label_is_right(label: int, noise: float) -> None:
    victim = Counting(noise=noise)
    found, searched = attacked(("good film", "bad film")[label], label, "dull", victim)
    assert (found.status, searched) == (Status.FAILED, False)
    assert found.after == Verdict(label, 0.5, tied=True)
    found, searched = attacked(("good film", "bad film")[label], label, ("bad", "good")[label], victim)
    assert (found.status, searched) == (Status.SUCCESS, True)
    assert (found.after.label, found.after.tied) == (1 - label, False)


@pytest.mark.parametrize("label", [0, 1])
def test_a_text_that_ties_before_is_attacked(label: int) -> None:
    found, _ = attacked("dull film", label, ("bad", "good")[label], Counting())
    assert found.status is Status.SUCCESS
    assert found.before == Verdict(label, 0.5, tied=True)


def test_a_target_must_be_ahead_of_every_other_label() -> None:
    victim = Counting(("good", "bad", "odd"))
    tie, searched = attacked("good bad film", 0, "odd", victim, Goal(target=2))
    assert (tie.status, searched, tie.after) == (Status.FAILED, False, Verdict(1, 0.4, tied=True))
    won, searched = attacked("good odd film", 0, "odd", victim, Goal(target=2))
    assert (won.status, searched, won.after.label) == (Status.SUCCESS, True, 2)


def test_two_wrong_labels_that_tie_ahead_of_the_right_one_fool() -> None:
    found, searched = attacked("good bad odd good", 0, "dull", Counting(("good", "bad", "odd", "sad")))
    assert found.status is Status.FAILED, "the right label is among those that tie"
    found, searched = attacked("good bad odd", 0, "film", Counting(("good", "bad", "odd")))
    assert (found.status, searched, found.after.label, found.after.tied) == (Status.SUCCESS, True, 1, True)


def test_the_least_confidence_is_met_as_it_is_recorded() -> None:
    goal = Goal(confidence=0.9)
    assert goal.reached(np.array([0.100004, 0.899996], dtype=np.float32), 0)
    assert not goal.reached(np.array([0.10002, 0.89998], dtype=np.float32), 0)


def test_answers_are_told_at_the_precision_that_is_recorded() -> None:
    rows = np.array([[0.5, 0.5], [0.500004, 0.499996], [0.49999, 0.50001], [0.2, 0.8]], dtype=np.float32)
    assert leading(rows).sum(axis=1).tolist() == [2, 2, 1, 1]
    assert answered_labels(rows).tolist() == [0, 0, 1, 1]
    assert answered_labels(rows, 1).tolist() == [1, 1, 1, 1]
    assert answered_labels(rows, [1, 0, 0, 0]).tolist() == [1, 0, 1, 1]
    assert answered_labels(rows[0], 1) == 1


def test_a_tie_is_recorded_and_shown_and_an_answer_without_one_is_written_as_ever() -> None:
    tied, _ = attacked("good film", 0, "dull", Counting())
    assert b'"after": {"label": 0, "confidence": 0.5, "tied": true}' in to_line(tied)
    assert b'"before": {"label": 0, "confidence": 0.66667}' in to_line(tied)
    assert outcome_from_line(to_line(tied)) == tied
    (heading, *_) = sample_lines(tied, ["good", "bad"], "")
    assert "good (67%) → good (tie, 50%)" in heading.plain
