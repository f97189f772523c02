"""Inserting, deleting and replacing words: each makes a new text and leaves the old one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.text import Text

FINE = Text.of("a fine, dull film")
PAIR = Text.pair(("premise", "a man sleeps"), ("hypothesis", "he rests."), "hypothesis")
words = st.text(min_size=1)


@pytest.mark.parametrize(
    ("text", "changed", "strings"),
    [
        (FINE, FINE.replace(1, "bad"), ("a bad, dull film",)),
        (FINE, FINE.replace(3, "two words"), ("a fine, dull two words",)),
        (FINE, FINE.insert(0, "not"), ("not a fine, dull film",)),
        (FINE, FINE.insert(2, "very"), ("a fine, very dull film",)),
        (FINE, FINE.insert(4, "indeed"), ("a fine, dull film indeed",)),
        (FINE, FINE.delete(0), ("fine, dull film",)),
        (FINE, FINE.delete(1), ("a , dull film",)),
        (FINE, FINE.delete(2), ("a fine, film",)),
        (FINE, FINE.delete(3), ("a fine, dull",)),
        (PAIR, PAIR.replace(4, "runs"), ("a man sleeps", "he runs.")),
        (PAIR, PAIR.insert(3, "now"), ("a man sleeps", "now he rests.")),
        (PAIR, PAIR.insert(5, "well"), ("a man sleeps", "he rests well.")),
        (PAIR, PAIR.delete(3), ("a man sleeps", "rests.")),
        (PAIR, PAIR.delete(4), ("a man sleeps", "he .")),
        (PAIR, PAIR.delete(2), ("a man", "he rests.")),
        (Text.of("one"), Text.of("one").delete(0), ("",)),
        (Text.of(""), Text.of("").insert(0, "one"), ("one",)),
        (Text.of("(one)"), Text.of("(one)").delete(0), ("()",)),
        (Text.of("so\tsad"), Text.of("so\tsad").delete(1), ("so\t",)),
    ],
)
def test_edits(text: Text, changed: Text, strings: tuple[str, ...]) -> None:
    assert changed.strings == strings
    assert FINE.strings == ("a fine, dull film",)
    assert PAIR.strings == ("a man sleeps", "he rests.")
    assert changed != text


def test_edits_are_made_one_after_the_other() -> None:
    assert FINE.delete(0).replace(0, "good").insert(1, "but").strings == ("good, but dull film",)


def test_there_is_no_place_beyond_the_end() -> None:
    with pytest.raises(IndexError, match="no place 9 in a text of 4 words"):
        FINE.insert(9, "x")


def test_appending_goes_to_the_field_that_may_be_edited() -> None:
    first = Text.pair(("premise", "a man"), ("hypothesis", "he rests"), "premise")
    assert first.insert(2, "sleeps").strings == ("a man sleeps", "he rests")
    assert PAIR.insert(3, "now").strings[0] == "a man sleeps"


@given(st.text(), st.text(), st.data())
def test_an_insert_taken_out_again_leaves_the_words(first: str, second: str, data: st.DataObject) -> None:
    text = Text.pair(("premise", first), ("hypothesis", second), "hypothesis")
    at = data.draw(st.integers(text.fields[1].start, text.fields[1].stop))
    grown = text.insert(at, data.draw(words))
    assert len(grown.gaps) == len(grown.words) + 2
    assert grown.strings[0] == first
    assert grown.delete(at).words == text.words


@given(st.text(), st.data())
def test_deleting_takes_one_word_and_at_most_one_space(string: str, data: st.DataObject) -> None:
    text = Text.of(string)
    if not text.words:
        return
    position = data.draw(st.integers(0, len(text) - 1))
    shorter = text.delete(position)
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


@given(st.text(), st.text(), st.data())
def test_a_stretch_is_what_is_left_of_its_field(first: str, second: str, data: st.DataObject) -> None:
    text = Text.pair(("premise", first), ("hypothesis", second))
    field = text.fields[data.draw(st.sampled_from([0, 1]))]
    start = data.draw(st.integers(field.start, field.stop))
    stop = data.draw(st.integers(start, field.stop))
    left = text.stretch(field, start, stop)
    number, other = (0, 1) if field.name == "premise" else (1, 0)
    assert left.strings[other] == text.strings[other]
    assert left.strings[number] in text.strings[number]
    new = left.fields[number]
    assert left.words[new.start : new.stop] == text.words[start:stop]
