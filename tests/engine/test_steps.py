"""The way of a search is kept as it went."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.toys import BagOfWords, Recording, labelled, outcomes

from unfool.engine import Ask, Attack
from unfool.text import Sample, Text

TEXT = "so good a film"


def steps_of(attack: Attack) -> tuple[object, ...]:
    victim = BagOfWords()
    (outcome,) = outcomes(victim, labelled(victim, [TEXT]), attack)
    assert outcome.perturbed != outcome.original
    return outcome.steps


def test_changes_stand_in_the_order_they_were_made() -> None:
    async def attack(sample: Sample, ask: Ask) -> Text:
        text = sample.text.replace(3, "movie")
        await ask.fooled(text)
        swaps = text.variants([0, 1], ["very", "fine"])
        await ask.predict(swaps)
        return swaps[1].replace(1, "nice")

    assert steps_of(attack) == (((3, "film", "movie"),), ((1, "good", "fine"),), ((1, "fine", "nice"),))


def test_several_words_at_once_are_one_step_and_the_same_word_again_is_none() -> None:
    async def attack(sample: Sample, ask: Ask) -> Text:
        return sample.text.replace_several([3, 0], ["movie", "how"]).replace(0, "how")

    assert steps_of(attack) == (((0, "so", "how"), (3, "film", "movie")),)


@pytest.mark.parametrize("change", [lambda text: text.delete(0), lambda text: text.insert(0, "oh")])
def test_a_way_that_cannot_be_seen_is_left_out(change: Callable[[Text], Text]) -> None:
    async def attack(sample: Sample, ask: Ask) -> Text:
        return change(sample.text).replace(1, "bad")

    assert steps_of(attack) == ()


def test_it_costs_nothing() -> None:
    async def attack(sample: Sample, ask: Ask) -> Text:
        return sample.text.replace(3, "movie").replace(0, "how")

    victim = Recording()
    (outcome,) = outcomes(victim, labelled(victim, [TEXT]), attack)
    assert len(outcome.steps) == 2
    # Only what the engine checks was asked.
    assert victim.seen == [(TEXT,), ("how good a movie",)]
