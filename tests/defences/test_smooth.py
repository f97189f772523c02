"""Copies changed at random that vote: what they are, that they vote, and how they are drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.attacks.test_table import assert_promises, make_samples
from tests.toys import BagOfWords, outcomes

from unfool.attacks import find_attack
from unfool.defences import Smooth, SmoothSettings
from unfool.engine import Answers, Budget
from unfool.errors import UserError
from unfool.text import Text, Variants
from unfool.victims import MeanOfDraws, open_victim

TEXT = ("The old film was a quiet and lovely one",)
WORDS = len(TEXT[0].split())


def asked(victim: Smooth | MeanOfDraws, *strings: str) -> Answers:
    rows = victim.rows([Variants.of_texts([Text.of(each) for each in strings])])
    return victim.launch(rows, np.arange(len(strings))).result()


@given(st.floats(0.01, 1), st.integers(0, 9))
def test_a_copy_hides_the_share_of_words_that_is_asked_for(share: float, seed: int) -> None:
    victim = Smooth(BagOfWords(), SmoothSettings(share=share, copies=3))
    for text in victim.copies([TEXT], seed)[0]:
        assert text.words.count(victim.unknown) == max(1, round(share * WORDS))
        assert len(text) == WORDS


def test_swapped_copies_keep_the_lengths_of_words() -> None:
    victim = Smooth(BagOfWords(), SmoothSettings(by="swap", share=0.2, copies=4))
    texts = victim.copies([TEXT], 0)[0]
    lengths = [len(word) for word in TEXT[0].split()]
    assert all([len(word) for word in text.words] == lengths for text in texts)
    assert len({text.strings for text in texts} | {TEXT}) == 5


@pytest.mark.parametrize("vote", ["probabilities", "majority"])
def test_the_answer_is_the_vote_of_the_copies(vote: str) -> None:
    inner = BagOfWords(3)
    settings = SmoothSettings(copies=7, vote=vote, noise="text")  # type: ignore[arg-type]
    victim = Smooth(inner, settings)
    rows = np.stack([inner.probability_row(text.strings) for text in victim.copies([TEXT], 0)[0]])
    wanted = rows.mean(axis=0) if vote == "probabilities" else np.eye(3)[rows.argmax(axis=1)].mean(axis=0)
    assert np.allclose(asked(victim, *TEXT).values[0], wanted, atol=1e-5)
    assert np.allclose(victim.check([TEXT]).result().values[0], wanted, atol=1e-5)


def test_a_text_meets_the_same_copies_whatever_is_asked_with_it_and_others_when_it_is_judged() -> None:
    victim = Smooth(BagOfWords(), SmoothSettings())
    alone = asked(victim, *TEXT).values[0]
    assert np.array_equal(asked(victim, "Another one", *TEXT).values[1], alone)
    assert not np.allclose(victim.check([TEXT]).result().values[0], alone)
    assert not np.allclose(asked(victim.draw(1), *TEXT).values[0], alone)
    mean = asked(MeanOfDraws(victim, 2), *TEXT).values[0]
    assert np.allclose(mean, (asked(victim.draw(1), *TEXT).values[0] + asked(victim.draw(2), *TEXT).values[0]) / 2)


def test_texts_without_words_are_answered() -> None:
    answers = asked(Smooth(BagOfWords(), SmoothSettings()), "", "?!", "one")
    assert not answers.errors
    assert np.allclose(answers.values.sum(axis=1), 1)


@pytest.mark.parametrize("by", ["mask", "swap"])
def test_it_keeps_what_victims_promise(by: str) -> None:
    victim = Smooth(BagOfWords(), SmoothSettings(by=by, copies=5))  # type: ignore[arg-type]
    attack, budget = find_attack("deepwordbug"), Budget(queries=60, words=0.4)
    samples = make_samples(victim, "single")
    found = outcomes(victim, samples, attack, budget=budget, seed=5, width=7)
    for sample, outcome in zip(samples, found, strict=True):
        assert_promises(victim, sample, outcome, budget)
    assert found == outcomes(victim, samples[::-1], attack, budget=budget, seed=5, width=512)


def test_it_has_a_name_with_its_settings() -> None:
    name = "smooth[by=swap,share=0.1]:py:unfool.victims.vader:probabilities"
    assert repr(open_victim(name)) == name
    with pytest.raises(UserError, match="share=2 is no share"):
        open_victim("smooth[share=2]:py:unfool.victims.vader:probabilities")
