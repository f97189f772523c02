"""The framework verifies; the attack only proposes."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.toys import BagOfWords, Recording, labelled, outcomes, run

from unfool.engine import Ask, Attack, Budget, Failure, Goal, Outcome, OutOfQueries, Status
from unfool.text import Sample, Text

WORDS = ("film", "good", "bad", "plot", "dull", "great", "awful", "so", "lovely", "the")
TEXTS = [f"marker{number} {' '.join(np.random.default_rng(number).choice(WORDS, 6))}" for number in range(24)]


async def wander(sample: Sample, ask: Ask) -> Text:
    """Ask at random, also twice about the same text, and settle on the first text that fools."""
    text = sample.text
    for _ in range(int(ask.random.integers(1, 6))):
        positions = ask.random.integers(1, len(text), 4).tolist()
        words = ask.random.choice([*WORDS, ""], 4).tolist()
        variants = text.variants([*positions, positions[0]], [*words, words[0]])
        answers = await ask.predict(variants)
        assert (answers[0] == answers[-1]).all()
        await ask.predict([text, sample.text])
        for number in np.flatnonzero(ask.goal.reached(answers, sample.label)).tolist():
            if ask.allows(variants[number]) and await ask.fooled(variants[number]):
                return variants[number]
        text = variants[0] if len(variants[0]) > 2 else text
    return text


def assert_true(victim: BagOfWords, sample: Sample, outcome: Outcome, goal: Goal, budget: Budget) -> None:
    """Hold an outcome against the victim itself."""
    before, after = (victim.probability_row(strings) for strings in (outcome.original, outcome.perturbed))
    assert outcome.original == sample.text.strings
    assert (outcome.before.label, outcome.after.label) == (int(before.argmax()), int(after.argmax()))
    assert outcome.after.confidence == pytest.approx(float(after.max()), abs=1e-5)
    if outcome.status is Status.SUCCESS:
        assert bool(goal.reached(after, sample.label))
        assert before.argmax() == sample.label
        assert outcome.words_changed <= (1.0 if budget.words is None else budget.words) * outcome.words
        assert outcome.reason == ""
    elif outcome.status is Status.SKIPPED:
        assert outcome.perturbed == outcome.original
        assert outcome.queries == 0
        assert before.argmax() != sample.label or before.argmax() == goal.target
    else:
        assert outcome.reason


@settings(max_examples=60)
@given(
    queries=st.none() | st.integers(0, 30),
    words=st.none() | st.sampled_from([0.0, 0.1, 0.3, 1.0]),
    characters=st.none() | st.sampled_from([0.0, 0.05, 0.2]),
    target=st.none() | st.integers(0, 2),
    confidence=st.sampled_from([0.0, 0.4, 0.6]),
    seed=st.integers(0, 5),
    width=st.sampled_from([1, 2, 7, 512]),
)
def test_outcomes_hold_and_budgets_are_kept(
    queries: int | None,
    words: float | None,
    characters: float | None,
    target: int | None,
    confidence: float,
    seed: int,
    width: int,
) -> None:
    victim = Recording(classes=3)
    goal, budget = Goal(target, confidence), Budget(queries, words, characters)
    samples = labelled(victim, TEXTS)
    found = outcomes(victim, samples, wander, goal=goal, budget=budget, seed=seed, width=width)
    assert len(found) == len(samples)
    for sample, outcome in zip(samples, found, strict=True):
        assert_true(victim, sample, outcome, goal, budget)
        asked = [strings for strings in victim.seen if sample.text.words[0] in strings[0].split()]
        assert len(asked) == outcome.queries + outcome.checks
        assert outcome.queries <= (len(asked) if queries is None else queries)
        if outcome.status is Status.SUCCESS and characters is not None:
            assert outcome.characters_changed <= characters * outcome.characters
        if outcome.reason == "out of queries":
            assert queries is not None


def test_wandering_ends_in_every_way() -> None:
    """Else the test above would not say much."""
    victim = BagOfWords(3)
    samples = [*labelled(victim, TEXTS), Sample(99, Text.of(TEXTS[0]), 1 - victim.label((TEXTS[0],)) % 2)]
    found = outcomes(victim, samples, wander, budget=Budget(queries=12, words=0.2))
    assert {outcome.status for outcome in found} == set(Status)
    assert {"out of queries", "not fooled by any edit tried"} <= {outcome.reason for outcome in found}


def test_outcomes_do_not_depend_on_the_width() -> None:
    victim = BagOfWords(3)
    samples = labelled(victim, TEXTS)
    one, seven, many = (outcomes(victim, samples, wander, seed=3, width=width) for width in (1, 7, 512))
    assert one == seven == many
    assert one != outcomes(victim, samples, wander, seed=4)


def test_outcomes_do_not_depend_on_the_neighbours() -> None:
    victim = BagOfWords(3)
    samples = labelled(victim, TEXTS)
    together = outcomes(victim, samples, wander)
    assert [outcomes(victim, [sample], wander)[0] for sample in samples] == together
    assert sorted(outcomes(victim, samples[::-1], wander), key=lambda outcome: outcome.id) == together


async def claims_the_original(sample: Sample, ask: Ask) -> Text:
    return sample.text


async def asks_but_changes_nothing(sample: Sample, ask: Ask) -> Text:
    await ask.predict([sample.text, sample.text.replace(1, "unheard")])
    return sample.text


async def asks_about_the_original(sample: Sample, ask: Ask) -> Text:
    await ask.predict(sample.text)
    return sample.text


async def never_asks(sample: Sample, ask: Ask) -> Text:
    return sample.text.replace(1, "awful")


async def returns_something_else(sample: Sample, ask: Ask) -> Text:
    return Text.of("dull dull dull awful plot")


async def moves_the_posts(sample: Sample, ask: Ask) -> Text:
    ask.goal, ask.budget = Goal(target=sample.label), Budget(words=1.0)
    ask.sample = Sample(sample.id, sample.text.replace(1, "awful"), (sample.label + 1) % 3)
    return sample.text.replace(1, "awful").replace(2, "so")


async def spends_all_and_claims(sample: Sample, ask: Ask) -> Text:
    try:
        while True:
            word = f"word{ask.random.integers(1_000_000)}"
            await ask.predict(sample.text.replace(1, word))
    except OutOfQueries:
        return sample.text.replace(1, "awful").replace(2, "awful")


@pytest.mark.parametrize(
    "attack", [claims_the_original, never_asks, returns_something_else, moves_the_posts, spends_all_and_claims]
)
def test_no_attack_can_claim_what_the_victim_does_not_confirm(attack: Attack) -> None:
    victim = BagOfWords(3)
    goal, budget = Goal(), Budget(queries=9, words=0.2)
    samples = labelled(victim, TEXTS)
    found = outcomes(victim, samples, attack, goal=goal, budget=budget)
    for sample, outcome in zip(samples, found, strict=True):
        assert_true(victim, sample, outcome, goal, budget)
        assert outcome.queries <= 9
        fooled = victim.label(outcome.perturbed) != sample.label
        assert (outcome.status is Status.SUCCESS) == (fooled and outcome.words_changed <= 0.2 * outcome.words)


def test_reasons() -> None:
    victim = BagOfWords(3)
    samples = labelled(victim, TEXTS)
    for attack, reason in (
        (claims_the_original, "no change proposed"),
        (asks_about_the_original, "no change proposed"),
        (asks_but_changes_nothing, "no edit found"),
    ):
        assert {o.reason for o in outcomes(victim, samples, attack)} == {reason}
    over = outcomes(victim, samples, never_asks, budget=Budget(words=0.0))
    assert {o.reason for o in over if o.words_changed} == {"over the edit budget"}
    assert over[0].perturbed == never_asks_text(samples[0])


def never_asks_text(sample: Sample) -> tuple[str, ...]:
    return sample.text.replace(1, "awful").strings


def test_a_field_that_may_not_be_edited_stays() -> None:
    victim = BagOfWords(3)
    pairs = [Text.pair(("premise", text), ("hypothesis", "so dull"), "hypothesis") for text in TEXTS]

    async def edits_the_premise(sample: Sample, ask: Ask) -> Text:
        return sample.text.replace(1, f"word{ask.random.integers(1_000_000)}")

    async def drops_the_premise(sample: Sample, ask: Ask) -> Text:
        return Text.of("awful plot")

    for attack in (edits_the_premise, drops_the_premise):
        found = outcomes(victim, labelled(victim, pairs), attack)
        assert any(victim.label(o.perturbed) != o.label for o in found)
        assert {o.status for o in found} == {Status.FAILED}
        assert {o.reason for o in found} == {"changed a field that may not be edited"}


def test_words_and_characters_are_those_of_the_editable_field() -> None:
    victim = BagOfWords(3)
    pair = Text.pair(("premise", "a very long premise"), ("hypothesis", "so dull"), "hypothesis")

    async def edit(sample: Sample, ask: Ask) -> Text:
        return sample.text.insert(4, "not").delete(6)

    (found,) = outcomes(victim, labelled(victim, [pair]), edit)
    assert (found.words, found.characters) == (2, len("so dull"))
    assert found.perturbed == ("a very long premise", "not so")
    assert found.field_names == ("premise", "hypothesis")


async def raises(sample: Sample, ask: Ask) -> Text:
    raise ValueError("no such luck")


async def raises_after_asking(sample: Sample, ask: Ask) -> Text:
    await ask.predict(sample.text)
    return [sample.text][1]


async def stops_iterating(sample: Sample, ask: Ask) -> Text:
    raise StopIteration


async def returns_nothing(sample: Sample, ask: Ask) -> Any:
    return None


async def awaits_something_else(sample: Sample, ask: Ask) -> Text:
    await asyncio.sleep(0)
    return sample.text


@pytest.mark.parametrize(
    ("attack", "error"),
    [
        (raises, "ValueError: no such luck"),
        (raises_after_asking, "IndexError"),
        (stops_iterating, "RuntimeError"),
        (returns_nothing, "AttributeError"),
        (awaits_something_else, "TypeError: an attack can only await what its `ask` offers"),
    ],
)
@pytest.mark.parametrize("width", [1, 7, 512])
def test_a_fault_in_one_sample_leaves_the_others_alone(attack: Attack, error: str, width: int) -> None:
    victim = BagOfWords(3)
    samples = labelled(victim, TEXTS)

    async def sometimes(sample: Sample, ask: Ask) -> Text:
        return await (attack if sample.id % 5 == 2 else wander)(sample, ask)

    sound = {outcome.id: outcome for outcome in outcomes(victim, samples, wander)}
    found = run(victim, samples, sometimes, width=width)
    assert found.keys() == sound.keys()
    for number, result in found.items():
        if number % 5 == 2:
            assert isinstance(result, Failure)
            assert result.error.startswith(error)
        else:
            assert result == sound[number]
