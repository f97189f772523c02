"""A share that comes out whole is whole, whatever floats make of it: 0.29 × 100 is 28.999999999999996 to them."""

from __future__ import annotations

import numpy as np
import pytest

from unfool.attacks.parts.characters import character_steps
from unfool.engine import Budget
from unfool.rules import Rewriter, Rule, RuleBook
from unfool.stats import paired_difference, whole_share
from unfool.text import Text, diff

LABELS = ("neg", "pos")
WORDS, LETTERS = Text.of(" ".join(["good"] * 100)), Text.of("x" * 100)


@pytest.mark.parametrize(
    ("share", "of", "whole"), [(0.29, 100, 29), (0.7, 90, 63), (0.3, 9, 2), (0, 5, 0), (1, 5, 5)]
)
def test_a_part_of_a_thing_is_none(share: float, of: int, whole: int) -> None:
    assert whole_share(share, of) == whole


@pytest.mark.parametrize(("changed", "covered"), [(29, True), (30, False)])
def test_the_engine_allows_as_much_as_the_budget_says(changed: int, covered: bool) -> None:
    words = WORDS.replace_several(list(range(changed)), ["nice"] * changed)
    assert Budget(words=0.29).covers(WORDS, diff(WORDS, words)) == covered
    letters = LETTERS.replace(0, "y" * changed + "x" * (100 - changed))
    assert Budget(characters=0.29).covers(LETTERS, diff(LETTERS, letters)) == covered


def test_attacks_on_characters_and_rules_go_as_far() -> None:
    assert character_steps("key", LETTERS, 0.29) == 29
    assert Rewriter(RuleBook(LABELS, (Rule("pos", "good", "nice"),)), LABELS, 0.29).room(WORDS) == 29


@pytest.mark.parametrize(("only_a", "only_b"), [(0.1, 0.1), (0.02, 0.12), (0.3, 0.05)])
def test_the_interval_of_a_paired_difference_covers_it_as_often_as_it_says(only_a: float, only_b: float) -> None:
    drawn = np.random.default_rng(0).multinomial(100, [only_a, only_b, 1 - only_a - only_b], 2000)
    covered = [
        low <= only_a - only_b <= high
        for low, high in (paired_difference(int(a), int(b), 100) for a, b, _ in drawn)
    ]
    assert 0.935 <= np.mean(covered) <= 0.99


def test_the_interval_of_a_paired_difference_turns_with_its_shares() -> None:
    low, high = paired_difference(3, 9, 50)
    assert paired_difference(9, 3, 50) == (-high, -low)
    low, high = paired_difference(0, 0, 50)
    assert low < 0 < high, "no difference in fifty is no proof of none"
