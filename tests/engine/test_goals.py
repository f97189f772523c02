"""What counts as fooled."""

from __future__ import annotations

import numpy as np
import pytest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.engine import Ask, Floats, Goal, Status
from unfool.text import Sample, Text


def rows(*given: tuple[float, ...]) -> Floats:
    return np.array(given, dtype=np.float32)


ANSWERS = rows((0.6, 0.3, 0.1), (0.3, 0.5, 0.2), (0.1, 0.2, 0.7), (0.4, 0.4, 0.2))


@pytest.mark.parametrize(
    ("goal", "reached"),
    [
        (Goal(), [False, True, True, False]),
        (Goal(target=1), [False, True, False, False]),
        (Goal(target=2), [False, False, True, False]),
        (Goal(confidence=0.6), [False, False, True, False]),
        (Goal(target=1, confidence=0.6), [False, False, False, False]),
    ],
)
def test_reached(goal: Goal, reached: list[bool]) -> None:
    assert goal.reached(ANSWERS, 0).tolist() == reached
    assert [bool(goal.reached(answer, 0)) for answer in ANSWERS] == reached


def test_progress_is_larger_the_nearer() -> None:
    np.testing.assert_allclose(Goal().progress(ANSWERS, 0), [0.4, 0.7, 0.9, 0.6], atol=1e-6)
    np.testing.assert_allclose(Goal(target=2).progress(ANSWERS, 0), [0.1, 0.2, 0.7, 0.2], atol=1e-6)


def test_what_needs_no_attack() -> None:
    assert Goal().nothing_to_do(answer=1, gold=0)
    assert not Goal().nothing_to_do(answer=0, gold=0)
    assert not Goal(target=1).nothing_to_do(answer=0, gold=0)
    assert Goal(target=0).nothing_to_do(answer=0, gold=0)
    assert Goal(target=1).nothing_to_do(answer=1, gold=0)


def test_one_text_judged_by_every_goal() -> None:
    victim = BagOfWords(3)
    (sample,) = labelled(victim, ["a good film"])
    changed = next(
        text
        for number in range(1000)
        if victim.label((text := sample.text.replace(1, f"word{number}")).strings) != sample.label
    )
    answer = victim.probability_row(changed.strings)
    label, confidence = int(answer.argmax()), float(answer.max())
    other = ({0, 1, 2} - {label, sample.label}).pop()

    async def settle(sample: Sample, ask: Ask) -> Text:
        assert await ask.fooled(changed) == bool(ask.goal.reached(answer, sample.label))
        return changed

    def status(goal: Goal) -> Status:
        (found,) = outcomes(victim, [sample], settle, goal=goal)
        return found.status

    assert status(Goal()) is Status.SUCCESS
    assert status(Goal(target=label)) is Status.SUCCESS
    assert status(Goal(target=other)) is Status.FAILED
    assert status(Goal(confidence=confidence - 0.01)) is Status.SUCCESS
    assert status(Goal(confidence=confidence + 0.01)) is Status.FAILED
    assert status(Goal(target=sample.label)) is Status.SKIPPED
