"""A share that comes out whole is whole, whatever floats make of it: 0.29 × 100 is 28.999999999999996 to them."""

from __future__ import annotations

import pytest

from unfool.attacks.parts.characters import character_steps
from unfool.engine import Budget
from unfool.rules import Rewriter, Rule, RuleBook
from unfool.stats import whole_share
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
