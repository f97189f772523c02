"""Edits are values: each makes a new text and leaves the old one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.text import Delete, DeleteCharacter, Edit, FlipCharacter, Insert, InsertCharacter, Replace, Text

FINE = Text.of("a fine, dull film")
PAIR = Text.pair(("premise", "a man sleeps"), ("hypothesis", "he rests."), "hypothesis")
words = st.text(min_size=1)


@pytest.mark.parametrize(
    ("text", "edit", "strings"),
    [
        (FINE, Replace(1, "bad"), ("a bad, dull film",)),
        (FINE, Replace(3, "two words"), ("a fine, dull two words",)),
        (FINE, Insert(0, "not"), ("not a fine, dull film",)),
        (FINE, Insert(2, "very"), ("a fine, very dull film",)),
        (FINE, Insert(4, "indeed"), ("a fine, dull film indeed",)),
        (FINE, Delete(0), ("fine, dull film",)),
        (FINE, Delete(1), ("a , dull film",)),
        (FINE, Delete(2), ("a fine, film",)),
        (FINE, Delete(3), ("a fine, dull",)),
        (FINE, FlipCharacter(1, 0, "m"), ("a mine, dull film",)),
        (FINE, InsertCharacter(0, 1, "n"), ("an fine, dull film",)),
        (FINE, InsertCharacter(0, 0, "x"), ("xa fine, dull film",)),
        (FINE, DeleteCharacter(1, 3), ("a fin, dull film",)),
        (PAIR, Replace(4, "runs"), ("a man sleeps", "he runs.")),
        (PAIR, Insert(3, "now"), ("a man sleeps", "now he rests.")),
        (PAIR, Insert(5, "well"), ("a man sleeps", "he rests well.")),
        (PAIR, Delete(3), ("a man sleeps", "rests.")),
        (PAIR, Delete(4), ("a man sleeps", "he .")),
        (PAIR, Delete(2), ("a man", "he rests.")),
        (Text.of("one"), Delete(0), ("",)),
        (Text.of(""), Insert(0, "one"), ("one",)),
        (Text.of("(one)"), Delete(0), ("()",)),
        (Text.of("so\tsad"), Delete(1), ("so\t",)),
    ],
)
def test_edits(text: Text, edit: Edit, strings: tuple[str, ...]) -> None:
    before = text.strings
    assert text.apply(edit).strings == strings
    assert text.strings == before


def test_edits_are_applied_one_after_the_other() -> None:
    assert FINE.apply(Delete(0), Replace(0, "good"), Insert(1, "but")).strings == ("good, but dull film",)


def test_equal_edits_are_equal() -> None:
    assert Replace(1, "a") == Replace(1, "a")
    assert len({Delete(1), Delete(1), Delete(2)}) == 2


def test_there_is_no_place_beyond_the_end() -> None:
    with pytest.raises(IndexError, match="no place 9 in a text of 4 words"):
        FINE.apply(Insert(9, "x"))


def test_appending_goes_to_the_field_that_may_be_edited() -> None:
    first = Text.pair(("premise", "a man"), ("hypothesis", "he rests"), "premise")
    assert first.apply(Insert(2, "sleeps")).strings == ("a man sleeps", "he rests")
    assert PAIR.apply(Insert(3, "now")).strings[0] == "a man sleeps"


@given(st.text(), st.text(), st.data())
def test_an_insert_taken_out_again_leaves_the_words(first: str, second: str, data: st.DataObject) -> None:
    text = Text.pair(("premise", first), ("hypothesis", second), "hypothesis")
    at = data.draw(st.integers(text.fields[1].start, text.fields[1].stop))
    grown = text.apply(Insert(at, data.draw(words)))
    assert len(grown.gaps) == len(grown.words) + 2
    assert grown.strings[0] == first
    assert grown.apply(Delete(at)).words == text.words


@given(st.text(), st.data())
def test_deleting_takes_one_word_and_at_most_one_space(string: str, data: st.DataObject) -> None:
    text = Text.of(string)
    if not text.words:
        return
    position = data.draw(st.integers(0, len(text) - 1))
    shorter = text.apply(Delete(position))
    assert shorter.words == text.words[:position] + text.words[position + 1 :]
    assert len(string) - len(shorter.strings[0]) - len(text.words[position]) in (0, 1)
    assert shorter.strings[0].replace(" ", "") == text.replace(position, "").strings[0].replace(" ", "")


@given(st.text(), st.lists(st.tuples(st.integers(min_value=0), words)))
def test_replacing_keeps_everything_else(string: str, swaps: list[tuple[int, str]]) -> None:
    text = Text.of(string)
    changed, expected = text, list(text.words)
    for number, word in swaps:
        if text.words:
            changed = changed.replace(number % len(text), word)
            expected[number % len(text)] = word
    assert changed.words == tuple(expected)
    assert changed.gaps == text.gaps
