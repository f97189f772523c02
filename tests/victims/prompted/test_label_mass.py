"""Belief in labels: summed over all ways to write them, with what goes to none of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.errors import UserError
from unfool.victims.prompted import Position, Prompt, label_mass

LABELS = ("safe", "unsafe")


def place(*told: tuple[str, float]) -> Position:
    """The first token is the one that was written."""
    return Position(told[0][0], {token: math.log(share) for token, share in told if share})


def test_all_ways_to_write_a_label_count() -> None:
    mass = label_mass([place(("safe", 0.3), (" Safe", 0.1), ('"SAFE', 0.1), ("unsafe", 0.2), ("No", 0.2))], LABELS)
    assert mass.labels == pytest.approx((0.5, 0.2))
    assert mass.outside == pytest.approx(0.3)
    assert mass.probabilities == pytest.approx((5 / 7, 2 / 7))
    assert dict(mass.others) == pytest.approx({"No": 0.2})


def test_the_start_of_a_label_counts_where_it_goes_on_to_the_label() -> None:
    begun = place(("un", 0.8), ("safe", 0.1))
    assert label_mass([begun, place(("safe", 1.0))], LABELS).labels == pytest.approx((0.1, 0.8))
    assert label_mass([begun, place(("happy", 1.0))], LABELS).labels == pytest.approx((0.1, 0.0))
    whole = place(("safe", 0.8), ("unsafe", 0.1))
    assert label_mass([whole, place(("ty", 1.0))], LABELS).labels == pytest.approx((0.0, 0.1))
    others = label_mass([place(("safe", 0.5), ("inj", 0.3), ("In", 0.2))], ("safe", "injection"))
    assert others.labels == pytest.approx((0.5, 0.3))


def test_a_start_that_two_labels_share_counts_for_neither() -> None:
    mass = label_mass([place(("neutral", 0.5), ("neg", 0.1), ("ne", 0.2))], ("negative", "neutral", "negated"))
    assert mass.labels == pytest.approx((0.0, 0.5, 0.0))
    assert mass.unseen == (0, 2)


def test_what_dresses_an_answer_is_passed_for_as_much_as_it_is_likely() -> None:
    dressed = [place(("\n\n", 0.8), ("unsafe", 0.1)), place(("safe", 0.75), ("unsafe", 0.25))]
    mass = label_mass(dressed, LABELS)
    assert mass.labels == pytest.approx((0.6, 0.3))
    assert mass.outside == pytest.approx(0.1)


@given(st.lists(st.tuples(st.text(max_size=8), st.floats(0.001, 1)), min_size=1, max_size=8))
def test_no_belief_is_made_or_lost(told: list[tuple[str, float]]) -> None:
    total = sum(share for _, share in told)
    mass = label_mass([place(*((token, share / total) for token, share in told))], LABELS)
    assert all(share >= 0 for share in mass.labels)
    assert sum(mass.labels) + mass.outside == pytest.approx(1, abs=1e-6)


def test_a_prompt_is_filled_once_whatever_the_text_holds() -> None:
    prompt = Prompt("{labels}? {other} <{text}> <{second}>", ("a", "b"))
    assert prompt.of(("{labels} {second}", "{text}")) == "a, b? {other} <{labels} {second}> <{text}>"
    with pytest.raises(UserError, match=r"has no \{text\}"):
        Prompt("which label?", ("a", "b"))
    with pytest.raises(UserError, match=r"has no \{second\}"):
        Prompt("<{text}>", ("a", "b")).of(("one", "two"))
