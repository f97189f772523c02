"""How much was changed: words, characters, and by which operations."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.made_outcomes import outcome

from unfool.engine import Status
from unfool.errors import UserError
from unfool.text import edit_distance
from unfool_papers.analysis import characters_changed, operation_mix, words_replaced
from unfool_papers.analysis.histogram import steps_of
from unfool_papers.analysis.operations import operations_between


def test_words_replaced_are_counted_over_the_successes() -> None:
    made = [outcome(words_changed=count) for count in (1, 3, 1, 1)]
    made.append(outcome(words_changed=9, status=Status.FAILED))
    figure = words_replaced(made)
    assert [(row["from"], row["texts"]) for row in figure.rows] == [(1, 3), (2, 0), (3, 1)]
    assert "mean 1.5" in figure.caption
    assert [row["texts"] for row in words_replaced([outcome(words_changed=0), *made]).rows] == [1, 3, 0, 1]


def test_characters_changed_are_shares_of_the_text_over_the_successes() -> None:
    made = [
        outcome(characters=200, characters_changed=1),
        outcome(characters=100, characters_changed=3),
        outcome(characters=100, characters_changed=50, status=Status.FAILED),
    ]
    figure = characters_changed(made, reported=4.18)
    assert {row["from"]: row["texts"] for row in figure.rows if row["texts"]} == {0.5: 1, 3.0: 1}
    assert "1.75 [" in figure.caption
    assert "one character alone in 50%" in figure.caption
    assert "4.18" in str(figure.spec)


@given(st.lists(st.integers(1, 400), min_size=1), st.sampled_from([0.5, 1.0]))
def test_every_value_is_counted_in_the_step_it_lies_in(values: list[int], smallest: float) -> None:
    rows = steps_of(values, smallest, first=1)
    assert len(rows) <= 40
    for row in rows:
        assert row["texts"] == sum(row["from"] <= value < row["to"] for value in values)
    assert sum(row["texts"] for row in rows) == len(values)


@pytest.mark.parametrize("figure", [words_replaced, characters_changed, operation_mix])
def test_where_nothing_fooled_there_is_nothing_to_draw(figure: object) -> None:
    assert callable(figure)
    with pytest.raises(UserError, match="none; give another run"):
        figure([outcome(status=Status.FAILED)])


def test_the_mix_tells_flips_deletions_and_insertions_apart() -> None:
    made = [
        outcome("in the Alps", "in the llps"),
        outcome("two ships sank", "two hips saMnk"),
        outcome("a PC, new", "a P%, new"),  # a mark ends the word, and is a flip all the same
        outcome("not so", "nqt sp", status=Status.FAILED),
    ]
    figure = operation_mix(made, reported={"flip": 0.8, "delete": 0.133, "insert": 0.067})
    assert [(row["operation"], row["count"], row["of"]) for row in figure.rows] == [
        ("flip", 2, 4),
        ("delete", 1, 4),
        ("insert", 1, 4),
    ]
    assert [row["reported"] for row in figure.rows] == [0.8, 0.133, 0.067]


def test_texts_that_fooled_unchanged_have_no_mix() -> None:
    with pytest.raises(UserError, match="no text was changed"):
        operation_mix([outcome("as it was")])


letters = st.text("abc", max_size=7)


@given(letters, letters)
def test_operations_are_those_of_a_shortest_way_with_the_most_flips(old: str, new: str) -> None:
    @cache
    def ways(i: int, j: int) -> frozenset[tuple[int, int, int]]:
        """Every way to turn the rest of one string into the rest of the other, short or long."""
        found = {(0, 0, 0)} if i == len(old) and j == len(new) else set[tuple[int, int, int]]()
        if i < len(old) and j < len(new):
            found |= {(f + (old[i] != new[j]), d, n) for f, d, n in ways(i + 1, j + 1)}
        if i < len(old):
            found |= {(f, d + 1, n) for f, d, n in ways(i + 1, j)}
        if j < len(new):
            found |= {(f, d, n + 1) for f, d, n in ways(i, j + 1)}
        return frozenset(found)

    flips, deleted, inserted = min(ways(0, 0), key=lambda kinds: (sum(kinds), -kinds[0]))
    assert operations_between(old, new) == Counter(flip=flips, delete=deleted, insert=inserted)


def test_a_word_that_is_gone_is_deletions() -> None:
    assert operations_between("a fine day", "a day") == Counter(delete=len("fine "))


@given(st.text("ab", max_size=60), st.text("ab", max_size=60))
def test_operations_are_as_many_as_the_edit_distance(old: str, new: str) -> None:
    assert operations_between(old, new).total() == edit_distance(old, new)


def test_of_strings_that_share_nothing_all_that_can_is_flipped() -> None:
    assert operations_between("a" * 30, "b" * 20) == Counter(flip=20, delete=10)


@pytest.mark.timeout(60)
def test_long_texts_that_differ_little_are_compared_in_no_time() -> None:
    middle = "word " * 20_000
    found = operations_between(f"one {middle}gig", f"one large {middle}very gag")
    assert found == Counter(insert=len("large ") + len("very "), flip=1)
