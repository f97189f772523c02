"""One answer to what changed."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.text import Change, Text, diff, edit_distance

FINE = Text.of("a fine, dull film")
short = st.text("abc ", max_size=7)
word_lists = st.lists(st.sampled_from(["a", "bc", "d", "é"]), max_size=8)


def plain_distance(first: str, second: str) -> int:
    @cache
    def between(i: int, j: int) -> int:
        if i == 0 or j == 0:
            return i + j
        if first[i - 1] == second[j - 1]:
            return between(i - 1, j - 1)
        return 1 + min(between(i - 1, j), between(i, j - 1), between(i - 1, j - 1))

    return between(len(first), len(second))


@given(short, short)
def test_edit_distance_is_the_plain_recursion(first: str, second: str) -> None:
    assert edit_distance(first, second) == plain_distance(first, second)


def test_swaps_are_named_by_position() -> None:
    found = diff(FINE, FINE.replace(1, "wine").replace(3, "play"))
    assert found.changes == (Change(1, ("fine",), ("wine",)), Change(3, ("film",), ("play",)))
    assert (found.words_changed, found.characters_changed) == (2, 1 + edit_distance("film", "play"))


def test_an_inserted_word_is_one_change() -> None:
    found = diff(FINE, FINE.insert(2, "very"))
    assert found.changes == (Change(2, (), ("very",)),)
    assert (found.words_changed, found.characters_changed) == (1, 4)


def test_a_deleted_word_is_one_change() -> None:
    found = diff(FINE, FINE.delete(0))
    assert found.changes == (Change(0, ("a",), ()),)
    assert (found.words_changed, found.characters_changed) == (1, 1)


def test_nothing_changed() -> None:
    same = diff(FINE, Text.of("a fine, dull film"))
    assert (same.changes, same.words_changed, same.characters_changed) == ((), 0, 0)


@pytest.mark.parametrize("strings", [("a man", "he rests"), ("a man sleeps", "he sits")])
def test_pairs_are_compared_through_both_fields(strings: tuple[str, str]) -> None:
    old = Text.pair(("premise", "a man sleeps"), ("hypothesis", "he rests"))
    new = Text.pair(("premise", strings[0]), ("hypothesis", strings[1]))
    assert diff(old, new).words_changed == 1


@given(word_lists, word_lists)
def test_the_changes_make_the_new_words_of_the_old(before: list[str], after: list[str]) -> None:
    old, new = Text.of(" ".join(before)), Text.of(" ".join(after))
    found = diff(old, new)
    words = list(old.words)
    for change in reversed(found.changes):
        assert tuple(words[change.position : change.position + len(change.before)]) == change.before
        words[change.position : change.position + len(change.before)] = change.after
    assert tuple(words) == new.words
    assert found.words_changed >= abs(len(before) - len(after))
    assert (found.words_changed == 0) == (old.words == new.words)
