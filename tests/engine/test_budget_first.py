"""The query budget is looked at before texts are made: what a sample costs is bounded by it, not by the text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack, find_constraints
from unfool.engine import OUT_OF_QUERIES, Ask, Budget, Floats, OutOfQueries, Status
from unfool.text import Sample, Text, Variants, diff
from unfool.victims import Input, StringRows

WORDS = ("good", "film", "funny", "story", "young", "people", "find", "love", "old", "house", "tells", "the")


class Meter(BagOfWords):
    """Counts the texts that are made, and reads the first words only, so that long texts cost it little."""

    def __init__(self) -> None:
        super().__init__(lean=30.0)
        self.made = 0

    def probability_row(self, strings: Input) -> Floats:
        return super().probability_row((" ".join(strings[0][:200].split()),))

    def rows(self, asked: Sequence[Variants]) -> StringRows:
        self.made += sum(map(len, asked))
        return super().rows(asked)


def long_text(words: int) -> str:
    return " ".join(np.random.default_rng(0).choice(WORDS, size=words))


@pytest.mark.parametrize("attack", ["pwws", "ga", "key-star", "random:trials=200", "list", "greedy-synonym"])
@pytest.mark.parametrize("rules", ["", "words<=0.2"])
def test_no_more_texts_are_made_than_the_budget_is_worth(attack: str, rules: str) -> None:
    victim = Meter()
    samples = labelled(victim, [long_text(3000)])
    (found,) = outcomes(
        victim, samples, find_attack(attack), budget=Budget(queries=50), constraints=find_constraints(rules)
    )
    assert found.queries <= 50
    assert victim.made < 300, "some thousand changes could be proposed"


def test_what_was_asked_before_does_not_count_against_the_budget() -> None:
    victim = Meter()
    (sample,) = labelled(victim, ["a good film"])
    told: list[NDArray[np.float32]] = []

    async def attack(sample: Sample, ask: Ask) -> Text:
        swaps = sample.text.variants([1] * 4, ["fine", "nice", "bad", "dull"])
        told.append(await ask.predict(swaps))
        repeated = swaps.take([0, 1, 2, 3] * 100)
        assert not ask.exceeds_budget(repeated)
        told.append(await ask.predict(repeated))
        more = Variants.of_texts([*repeated, sample.text, sample.text.replace(0, "the")])
        assert ask.exceeds_budget(more)
        with pytest.raises(OutOfQueries):
            await ask.predict(more)
        assert ask.queries == 4, "none of them is entered"
        told.append(await ask.predict(sample.text))
        return sample.text

    (found,) = outcomes(victim, [sample], attack, budget=Budget(queries=5))
    assert (found.status, found.queries) == (Status.FAILED, 5)
    np.testing.assert_array_equal(told[1], np.tile(told[0], (100, 1)))


def test_who_exceeds_the_budget_does_not_disturb_the_others() -> None:
    victim = BagOfWords()
    samples = labelled(victim, [f"a good film of {number} words" for number in range(6)])

    async def attack(sample: Sample, ask: Ask) -> Text:
        many = 30 if sample.id % 2 else 3
        texts = [sample.text.replace(1, f"word{number}") for number in range(many)]
        answers = await ask.predict(texts)
        assert len(answers) == many
        np.testing.assert_allclose(answers[2], victim.probability_row(texts[2].strings), atol=1e-5)
        return texts[2]

    found = outcomes(victim, samples, attack, budget=Budget(queries=10))
    assert [outcome.queries for outcome in found] == [3, 0] * 3
    assert [outcome.reason == OUT_OF_QUERIES for outcome in found] == [False, True] * 3


@given(
    words=st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6),
    changes=st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["a", "b", "x"])), max_size=4),
)
def test_the_changes_on_the_way_to_a_text_are_those_that_both_texts_show(
    words: list[str], changes: list[tuple[int, str]]
) -> None:
    original = text = Text.of(" ".join(words))
    for place, word in changes:
        text = text.replace(place % len(words), word)
    unrelated = Text(text.words, text.gaps, text.fields)
    assert diff(original, text) == diff(original, unrelated)


@given(st.integers(0, 4), st.integers(0, 12))
def test_a_part_of_variants_is_the_same_texts(start: int, length: int) -> None:
    bases = [Text.of("a b"), Text.of("c d"), Text.of("e f")]
    variants = Variants(bases, [2, 0, 0, 1, 2], [0, -1, 1, 1, -1], ["x", "", "y", "", ""])
    part = variants.part(start, start + length)
    assert [text.strings for text in part] == [text.strings for text in variants][start : start + length]
    assert len(part.bases) == len(set(part.which))
