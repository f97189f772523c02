"""A victim that never answers is given up early; one that answers some texts never is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from numpy.typing import ArrayLike
from tests.toys import BagOfWords

from unfool.engine import Ask, Failure, Outcome, attack_samples
from unfool.errors import UserError, VictimError
from unfool.text import Sample, Text
from unfool.victims import Input

SAMPLES = [Sample(number, Text.of(f"a film of {number} words"), 0) for number in range(200)]


class Answering(BagOfWords):
    """Answers about the texts that hold one of some words, and no others."""

    def __init__(self, *words: str) -> None:
        super().__init__()
        self._words = words

    def probabilities(self, inputs: Sequence[Input]) -> Sequence[ArrayLike | VictimError]:
        return [
            [1.0, 0.0] if set(self._words) & set(strings[0].split()) else VictimError("it said nothing")
            for strings in inputs
        ]


async def patient(sample: Sample, ask: Ask) -> Text:
    """Ask so often that every sample that fails is done before the first that does not."""
    text = sample.text
    for number in range(50):
        text = text.replace(0, f"word{number}")
        await ask.predict(text)
    return text


def attacked(victim: Answering, samples: Sequence[Sample], give_up_after: int | None) -> list[Outcome | Failure]:
    steps = attack_samples(victim, samples, patient, width=64, give_up_after=give_up_after)
    return [result for step in steps for result in step]


def test_a_victim_that_never_answers_is_given_up() -> None:
    steps = attack_samples(Answering(), SAMPLES, patient, width=64, give_up_after=20)
    assert [result.id for result in next(steps)] == list(range(32)), "what failed is told before"
    with pytest.raises(
        UserError,
        match=r"no answer about the first 32 samples: it said nothing; .* add --resume \(in Python: resume=True\)",
    ):
        next(steps)


def test_a_victim_that_answers_about_one_sample_is_not_given_up() -> None:
    found = attacked(Answering("7"), SAMPLES, 20)
    assert [result.id for result in found if isinstance(result, Outcome)] == [7]
    assert len(found) == len(SAMPLES)
    assert [result.id for result in found].index(7) > 20, "it had no result when twenty had failed"


@pytest.mark.parametrize(("samples", "about"), [(1, "the only sample"), (19, "any of the 19 samples")])
def test_a_victim_that_answers_about_no_sample_at_all_is_an_error_however_few_they_are(
    samples: int, about: str
) -> None:
    with pytest.raises(
        UserError, match=rf"no answer about {about}: it said nothing; .* add --resume \(in Python: resume=True\)"
    ):
        attacked(Answering(), SAMPLES[:samples], 20)


def test_few_samples_of_which_one_is_answered_are_no_error() -> None:
    assert len(attacked(Answering("7"), SAMPLES[:19], 20)) == 19


def test_to_give_up_may_be_forbidden() -> None:
    found = attacked(Answering(), SAMPLES, None)
    assert len(found) == 200
    assert all(isinstance(result, Failure) for result in found)
