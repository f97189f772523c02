"""How samples are driven: lazily, each text asked once, closed when it ends early."""

from __future__ import annotations

import gc
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tests.toys import BagOfWords, Recording, labelled, outcomes, run

from unfool.engine import Ask, Failure, FunctionService, Outcome, attack_samples
from unfool.engine import run_together as run_tasks
from unfool.errors import UserError, VictimError
from unfool.text import DELETED, Sample, Text
from unfool.victims import Input


async def leave_words_out(sample: Sample, ask: Ask) -> Text:
    """Two rounds of questions, then the least probable text."""
    first = sample.text.variants(sample.text.editable, DELETED)
    answers = await ask.predict(first)
    best = first[int(answers[:, sample.label].argmin())]
    if len(best):
        await ask.predict(best.variants(best.editable, ask.unknown))
    return best


def endless(read: list[int]) -> Iterator[Sample]:
    victim = BagOfWords()
    for number in count():
        read.append(number)
        text = Text.of(f"film number {number}")
        yield Sample(number, text, victim.label(text.strings))


@pytest.mark.parametrize("width", [1, 2, 7, 64])
def test_samples_are_read_as_places_become_free(width: int) -> None:
    read: list[int] = []
    found = 0
    steps = attack_samples(BagOfWords(), endless(read), leave_words_out, width=width)
    for step in islice(steps, 12):
        found += len(step)
        assert len(read) <= found + width
    assert found >= 12
    steps.close()  # type: ignore[attr-defined]
    assert len(read) <= found + 2 * width


def test_no_samples_no_outcomes() -> None:
    assert run(BagOfWords(), [], leave_words_out) == {}


def test_a_text_asked_twice_costs_one_query() -> None:
    victim = Recording()

    async def asks_again(sample: Sample, ask: Ask) -> Text:
        once = await ask.predict(sample.text)
        twice = await ask.predict([sample.text, sample.text])
        again = await ask.predict(Text.of(sample.text.strings[0]))
        assert (once == twice).all()
        assert (once == again).all()
        assert await ask.predict([]) is not None
        assert ask.queries == 1
        await ask.confirm(sample.text)
        return sample.text

    (found,) = outcomes(victim, labelled(BagOfWords(), ["a good film"]), asks_again)
    assert (found.queries, found.checks) == (1, 1)
    assert len(victim.seen) == 2


def test_samples_that_ask_the_same_share_the_answer() -> None:
    victim = Recording()
    samples = labelled(BagOfWords(), ["a good film"] * 10)
    found = outcomes(victim, samples, leave_words_out, width=10)
    assert len({(outcome.queries, outcome.perturbed) for outcome in found}) == 1
    seen = Counter(victim.seen)
    predicted = {text for text, times in seen.items() if text != found[0].original and text != found[0].perturbed}
    assert predicted
    # Two groups are in flight at once; inside a group, and after it, nobody asks again.
    assert all(seen[text] <= 2 for text in predicted)
    alone = Recording()
    outcomes(alone, samples, leave_words_out, width=1)
    assert all(Counter(alone.seen)[text] == 1 for text in predicted)


def test_what_the_victim_answered_is_what_the_attack_hears() -> None:
    victim = BagOfWords(3)
    heard: dict[Input, list[float]] = {}

    async def listen(sample: Sample, ask: Ask) -> Text:
        variants = sample.text.variants(sample.text.editable, "dull")
        answers = await ask.predict(variants)
        heard.update({text.strings: row.tolist() for text, row in zip(variants, answers, strict=True)})
        one = await ask.probability(variants, 2)
        np.testing.assert_array_equal(one, answers[:, 2])
        np.testing.assert_array_equal(await ask.progress(variants), ask.goal.progress(answers, sample.label))
        return sample.text

    outcomes(victim, labelled(victim, [f"film number {number}" for number in range(40)]), listen, width=7)
    assert len(heard) == 40 * 2 + 1
    for strings, row in heard.items():
        np.testing.assert_allclose(row, victim.probability_row(strings), atol=2e-6)


class Faulty(BagOfWords):
    """Answers nonsense about texts with the word "bad"."""

    def __init__(self, nonsense: Any) -> None:
        super().__init__()
        self._nonsense = nonsense

    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
        return [self._nonsense if "bad" in strings[0] else self.probability_row(strings) for strings in inputs]


@pytest.mark.parametrize("nonsense", [[float("nan"), 1.0], [1.0], [[0.5, 0.5]], None, [-1.0, 2.0]])
@pytest.mark.parametrize("width", [1, 512])
def test_nonsense_about_one_sample_is_its_failure_and_names_the_victim(nonsense: Any, width: int) -> None:
    sound = BagOfWords()
    samples = labelled(
        sound, [f"film number {number} is {'bad' if number % 3 else 'good'}" for number in range(12)]
    )
    expected = {outcome.id: outcome for outcome in outcomes(sound, samples, leave_words_out)}
    for number, result in run(Faulty(nonsense), samples, leave_words_out, width=width).items():
        if number % 3:
            assert isinstance(result, Failure)
            assert result.error.startswith("BagOfWords(2) answered")
        else:
            assert result == expected[number]


@pytest.mark.parametrize("width", [1, 512])
def test_nonsense_met_in_the_search_costs_the_variant_each_time(width: int) -> None:
    async def asks_about_bad(sample: Sample, ask: Ask) -> Text:
        await ask.predict(sample.text.variants([0, 0], ["good", "bad" if sample.id % 2 else "dull"]))
        return sample.text

    samples = labelled(BagOfWords(), ["a film"] * 6)
    found = run(Faulty([float("nan"), 1.0]), samples, asks_about_bad, width=width)
    assert len(found) == 6
    for number, result in found.items():
        assert isinstance(result, Outcome)
        assert (result.queries, result.unanswered) == (2, number % 2)


def test_too_few_answers_fail_all_they_were_for() -> None:
    class Short(BagOfWords):
        def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
            return [[0.5, 0.5]] * (len(inputs) - (("a film",) in inputs))

    found = run(Short(), labelled(BagOfWords(), ["a film", "a plot", "a cast"]), leave_words_out, width=512)
    assert len(found) == 3
    for result in found.values():
        assert isinstance(result, Failure)
        assert "BagOfWords(2) gave 2 answers for 3 texts" in result.error


def test_an_attack_sees_full_belief_in_the_right_label_where_there_is_no_answer() -> None:
    async def tries_twice(sample: Sample, ask: Ask) -> Text:
        seen = await ask.predict(sample.text.variants([0, 0], ["good", "bad"]))
        assert seen[1].tolist() == [float(label == sample.label) for label in range(2)]
        assert seen[0].tolist() not in ([0.0, 1.0], [1.0, 0.0])
        assert not await ask.fooled(sample.text.replace(0, "bad"))
        assert (ask.queries, ask.unanswered) == (2, 1)
        return sample.text

    (found,) = outcomes(Faulty([float("nan"), 1.0]), labelled(BagOfWords(), ["a film"]), tries_twice)
    assert (found.queries, found.unanswered) == (2, 1)


@pytest.mark.parametrize("width", [1, 7, 512])
@pytest.mark.parametrize("where", ["attack", "victim"])
def test_an_interrupt_goes_through_and_closes_every_attack(width: int, where: str) -> None:
    begun, closed = set[int](), set[int]()

    class Interrupted(BagOfWords):
        def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
            if where == "victim" and any("stop" in strings[0] for strings in inputs):
                raise KeyboardInterrupt
            return super().probabilities(inputs)

    async def interrupted(sample: Sample, ask: Ask) -> Text:
        begun.add(sample.id)
        try:
            await ask.predict(sample.text)
            if sample.id == 10:
                await ask.predict(sample.text.replace(0, "stop"))
                raise KeyboardInterrupt
            return await leave_words_out(sample, ask)
        finally:
            closed.add(sample.id)

    victim = Interrupted()
    samples = labelled(victim, [f"film {number}" for number in range(30)])
    with pytest.raises(KeyboardInterrupt) as caught:
        run(victim, samples, interrupted, width=width)
    assert caught.tb is not None  # keeps the frames alive, so that nothing is closed by chance
    assert 10 in begun
    assert closed == begun


def test_leaving_early_closes_every_attack() -> None:
    begun, closed = set[int](), set[int]()

    async def watched(sample: Sample, ask: Ask) -> Text:
        begun.add(sample.id)
        try:
            return await leave_words_out(sample, ask)
        finally:
            closed.add(sample.id)

    steps: Any = attack_samples(BagOfWords(), endless([]), watched, width=16)
    next(steps)
    steps.close()
    assert begun
    assert closed == begun


def test_what_a_user_can_mend_ends_the_run() -> None:
    async def needs_gradients(sample: Sample, ask: Ask) -> Text:
        ask.service("gradients")
        return sample.text

    with pytest.raises(UserError, match=r"BagOfWords\(2\) offers no gradients"):
        run(BagOfWords(), labelled(BagOfWords(), ["a film"]), needs_gradients)


def test_other_services_are_asked_in_batches() -> None:
    batches: list[int] = []

    def shout(words: Sequence[str]) -> list[str]:
        batches.append(len(words))
        return [word.upper() for word in words]

    service = FunctionService(shout)

    async def shouts(sample: Sample, ask: Ask) -> Text:
        return sample.text.replace(0, await ask.use(service, sample.text.words[0]))

    found = outcomes(BagOfWords(), labelled(BagOfWords(), [f"w{n} film" for n in range(20)]), shouts, width=20)
    assert [outcome.perturbed for outcome in found] == [(f"W{n} film",) for n in range(20)]
    assert batches == [10, 10]


def test_an_interruption_leaves_no_coroutine_behind() -> None:
    async def interrupted() -> None:
        raise KeyboardInterrupt

    gc.collect()  # what other tests left behind
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with pytest.raises(KeyboardInterrupt):
            list(run_tasks((interrupted() for _ in range(5)), width=8))
        gc.collect()
    assert not [str(warning.message) for warning in said]
