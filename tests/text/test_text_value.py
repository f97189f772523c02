"""Rendering gives back the very input; a text never changes."""

import dataclasses
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unfool.text import Sample, Text

any_string = st.text() | st.text(st.characters(codec=None))  # lone surrogates too: a JSON file may hold them

EXAMPLES = [
    "",
    "film",
    "   ",
    "  Tabs\tand \n lines,  kept!  ",
    "I ❤️ it 👩‍👩‍👧 — 10/10",
    "הסרט היה נהדר, באמת!",
    "فيلم رائع جداً",
    "e\u0301toile",
    "zero\u200bwidth\ufeff",
    "isn't so-so, d'Arc’s",
]


@given(any_string)
@example("".join(EXAMPLES))
def test_one_string_comes_back_as_it_was(string: str) -> None:
    assert Text.of(string).strings == (string,)


@given(any_string, any_string, st.sampled_from([None, "premise", "hypothesis"]))
def test_a_pair_comes_back_as_it_was(first: str, second: str, editable: str | None) -> None:
    text = Text.pair(("premise", first), ("hypothesis", second), editable)
    assert text.strings == (first, second)
    assert len(text.gaps) == len(text.words) + 2
    assert [field.editable for field in text.fields] == [editable != "hypothesis", editable != "premise"]


@pytest.mark.parametrize("string", EXAMPLES)
def test_examples_come_back_as_they_were(string: str) -> None:
    assert Text.of(string).strings == (string,)
    assert str(Text.of(string)) == string


@pytest.mark.parametrize(
    ("string", "words"),
    [
        ("", ()),
        ("👩‍👩‍👧 ❤️ !!", ()),
        ("film", ("film",)),
        ("It isn't so-so, d'Arc’s!", ("It", "isn't", "so-so", "d'Arc’s")),
        ("'quoted' -dashed-", ("quoted", "dashed")),
        ("שָׁלוֹם עולם", ("שָׁלוֹם", "עולם")),
        ("हिन्दी 3rd x_y", ("हिन्दी", "3rd", "x_y")),
    ],
)
def test_words(string: str, words: tuple[str, ...]) -> None:
    assert Text.of(string).words == words


def test_a_hundred_thousand_words_come_back() -> None:
    string = " ".join(f"word{number}" for number in range(100_000))
    text = Text.of(string)
    assert len(text) == 100_000
    assert text.strings == (string,)
    assert len(text.chunks.strings) == 100_000
    assert text.replace(99_999, "end").strings[0].endswith("word99998 end")


@pytest.mark.parametrize("name", ["words", "gaps", "fields"])
def test_a_text_and_its_sample_cannot_be_changed(name: str) -> None:
    text: Any = Text.of("a film")
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(text, name, ())
    sample: Any = Sample(0, text, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        sample.text = Text.of("another")


def test_texts_are_equal_by_value() -> None:
    assert Text.of("a film") == Text.of("a film")
    assert hash(Text.of("a film")) == hash(Text.of("a film"))
    assert Text.of("a film") != Text.of("a  film")
    assert Text.of("a film", "premise") != Text.of("a film", "hypothesis")


def test_only_the_editable_field_is_offered() -> None:
    text = Text.pair(("premise", "a man sleeps"), ("hypothesis", "he rests"), "hypothesis")
    assert text.editable == (3, 4)
    assert [text.field_of(position).name for position in range(5)] == ["premise"] * 3 + ["hypothesis"] * 2
    assert Text.pair(("premise", "a man"), ("hypothesis", "he rests")).editable == (0, 1, 2, 3)


def test_an_unknown_editable_field_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'conclusion'.*premise, hypothesis"):
        Text.pair(("premise", "a"), ("hypothesis", "b"), "conclusion")


def test_several_words_are_as_many_as_their_places() -> None:
    text = Text.of("a fine, film")
    assert text.replace_several(range(3), ["the", "dull", "play"]).strings == ("the dull, play",)
    with pytest.raises(ValueError, match="shorter"):
        text.replace_several(range(3), ["the", "dull"])


@given(any_string, any_string)
def test_every_character_knows_its_word(first: str, second: str) -> None:
    text = Text.pair(("premise", first), ("hypothesis", second))
    for number, (field, string) in enumerate(zip(text.fields, text.strings, strict=True)):
        letters: dict[int, str] = {}
        for place, character in enumerate(string):
            position = text.word_at(number, place, place + 1)
            letters[position] = letters.get(position, "") + character
        found = [letters.get(position, "") for position in range(field.start, field.stop)]
        assert found == list(text.words[field.start : field.stop])


def test_several_words_at_once() -> None:
    text = Text.of("a dull, dull film")
    changed = text.replace_several([3, 1], ["play", "good"])
    assert changed.strings == ("a good, dull play",)
    assert changed == text.replace(1, "good").replace(3, "play")
    with pytest.raises(ValueError, match="zip"):
        text.replace_several([0, 1], ["x"])
