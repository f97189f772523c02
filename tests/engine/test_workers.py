"""Several processes give what one gives."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.engine import Ask, Budget, Line, Predictor, attack_in_workers
from unfool.engine._attempt import Attack
from unfool.errors import UserError
from unfool.text import Sample, Text

SAMPLES = labelled(BagOfWords(3), [f"film number {number} is so dull" for number in range(150)])


async def random_word(sample: Sample, ask: Ask) -> Text:
    variants = sample.text.variants(sample.text.editable, f"word{ask.random.integers(1000)}")
    answers = await ask.predict(variants)
    return variants[int(answers[:, sample.label].argmin())]


async def killed(sample: Sample, ask: Ask) -> Text:
    if sample.id == 100:
        os.kill(os.getpid(), signal.SIGKILL)
    return sample.text


async def raises_user_error(sample: Sample, ask: Ask) -> Text:
    raise UserError("mend this")


def prepare(attack: Attack, line: Line | None) -> tuple[Predictor, Attack]:
    return BagOfWords(3), attack


def cannot_prepare(line: Line | None) -> tuple[Predictor, Attack]:
    raise RuntimeError("no such model")


def test_outcomes_do_not_depend_on_the_workers() -> None:
    budget = Budget(queries=9)
    steps = attack_in_workers(partial(prepare, random_word), SAMPLES, workers=2, budget=budget, seed=3, width=20)
    found = sorted((outcome for step in steps for outcome in step), key=lambda outcome: outcome.id)
    assert found == outcomes(BagOfWords(3), SAMPLES, random_word, budget=budget, seed=3)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (partial(prepare, raises_user_error), "mend this"),
        (cannot_prepare, "RuntimeError: no such model"),
        (partial(prepare, killed), "ended early"),
    ],
)
def test_a_lost_worker_is_one_line_not_a_hang(make: partial[tuple[Predictor, Attack]], said: str) -> None:
    with pytest.raises(UserError, match=said):
        list(attack_in_workers(make, SAMPLES, workers=2))
