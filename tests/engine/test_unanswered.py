"""An answer that does not come costs the variant; a victim that is gone costs the sample."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tests.toys import BagOfWords, labelled, outcomes, run

from unfool.engine import Ask, Failure, Outcome, Status
from unfool.errors import Unheard, VictimError
from unfool.text import Sample, Text
from unfool.victims import Input

WORDS = ("awful", "dull", "bad", "lovely", "great", "so")
TEXTS = [f"film{number} the plot is good" for number in range(30)]


class Silent(BagOfWords):
    """Has no answer about texts that hold one of some words."""

    def __init__(self, words: Sequence[str], error: type[VictimError] = VictimError, alive: int = 10**9) -> None:
        super().__init__()
        self._words, self._error, self._alive = set(words), error, alive
        self.asked = 0

    def probabilities(self, inputs: Sequence[Input]) -> Sequence[ArrayLike | VictimError]:
        self.asked += len(inputs)
        return [
            self._error("it said nothing")
            if self.asked > self._alive or self._words & set(strings[0].split())
            else self.probability_row(strings)
            for strings in inputs
        ]


async def tries_words(sample: Sample, ask: Ask) -> Text:
    """Take the best of many variants, and try single ones after it."""
    text = sample.text
    for place in (1, 3):
        variants = text.variants([place] * len(WORDS), list(WORDS))
        progress = await ask.progress(variants)
        assert np.isfinite(progress).all()
        text = variants[int(progress.argmax())]
        for word in WORDS:
            if await ask.fooled(text.replace(4, word)):
                return text.replace(4, word)
    return text


@pytest.mark.parametrize("width", [1, 7, 512])
def test_variants_without_an_answer_cost_no_sample_and_are_no_success(width: int) -> None:
    victim = Silent(["awful", "great"])
    samples = labelled(victim, TEXTS)
    found = outcomes(victim, samples, tries_words, width=width)
    assert len(found) == len(TEXTS)
    for outcome in found:
        assert 0 < outcome.unanswered < outcome.queries
        assert not {"awful", "great"} & set(outcome.perturbed[0].split())
        if outcome.status is Status.SUCCESS:
            assert victim.label(outcome.perturbed) != outcome.label
    assert any(outcome.status is Status.SUCCESS for outcome in found)
    assert found == outcomes(victim, samples, tries_words)


def test_a_request_without_any_answer_is_no_reason_to_give_a_sample_up_while_the_victim_lives() -> None:
    async def silence_and_more(sample: Sample, ask: Ask) -> Text:
        await ask.predict(sample.text.variants([1, 2, 3], "awful"))
        await ask.predict(sample.text.replace(1, "so"))
        return sample.text

    victim = Silent(["awful"])
    (found,) = outcomes(victim, labelled(victim, TEXTS[:1]), silence_and_more)
    assert (found.queries, found.unanswered, found.checks) == (4, 3, 1)


@pytest.mark.parametrize("about_the_original", [False, True])
def test_a_sample_of_which_no_variant_was_answered_has_no_result(about_the_original: bool) -> None:
    async def only_silence(sample: Sample, ask: Ask) -> Text:
        if about_the_original:
            await ask.predict(sample.text)
        await ask.predict(sample.text.variants([1, 2, 3], "awful"))
        return sample.text

    victim = Silent(["awful"])
    (found,) = run(victim, labelled(victim, TEXTS[:1]), only_silence).values()
    assert found == Failure(0, "it said nothing")


def test_a_victim_that_dies_in_the_middle_is_not_answered_for() -> None:
    async def goes_on(sample: Sample, ask: Ask) -> Text:
        for number in range(10):
            await ask.predict(sample.text.replace(0, f"word{number}"))
        return sample.text

    victim = Silent([], alive=5)
    (found,) = run(victim, labelled(victim, TEXTS[:1]), goes_on).values()
    assert found == Failure(0, "it said nothing")


def test_what_was_never_heard_costs_the_sample() -> None:
    victim = Silent(["awful"], Unheard)
    (found,) = run(victim, labelled(victim, TEXTS[:1]), tries_words).values()
    assert found == Failure(0, "it said nothing")


def test_without_an_answer_about_the_original_there_is_no_result() -> None:
    victim = Silent(["film3"])
    found = run(victim, labelled(victim, TEXTS[:5]), tries_words)
    assert [number for number, result in found.items() if isinstance(result, Failure)] == [3]
    assert all(isinstance(result, Outcome) for number, result in found.items() if number != 3)
