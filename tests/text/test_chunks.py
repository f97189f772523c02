"""Chunks: what lies between lone spaces, and where each word lies in them."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from unfool.text import Chunks, Text, WordPlace

spaced = st.lists(
    st.sampled_from(["a", "film", "so-so", ",", "(", ")", " ", "  ", "\t", "\u00a0", "é", "👍"]) | st.text()
)
strings = spaced.map("".join)


def field_chunks(chunks: Chunks, number: int) -> tuple[str, ...]:
    return chunks.strings[slice(*(*chunks.field_starts, len(chunks.strings))[number : number + 2])]


@given(strings, strings)
def test_joined_by_single_spaces_they_are_the_fields(first: str, second: str) -> None:
    text = Text.pair(("premise", first), ("hypothesis", second))
    for number, string in enumerate(text.strings):
        assert " ".join(field_chunks(text.chunks, number)) == string


@given(strings, st.lists(st.tuples(st.integers(0, 99), st.sampled_from(["x", "", " ", "  ", "a b", "\t"]))))
@example("film X", [(0, " "), (1, "  ")])
@example(" film", [])
@example("film ", [])
@example("a . b", [])
def test_every_lone_space_is_a_cut_and_nothing_else(string: str, swaps: list[tuple[int, str]]) -> None:
    text = Text.of(string)
    for number, word in swaps if text.words else []:
        text = text.replace(number % len(text), word)
    assert text.chunks.strings == tuple(re.split(r"(?<=\S) (?=\S)", text.strings[0]))


@given(strings, strings, st.data())
def test_with_a_word_changed_they_are_the_chunks_of_the_changed_text(
    first: str, second: str, data: st.DataObject
) -> None:
    text = Text.pair(("premise", first), ("hypothesis", second))
    if not text.words:
        return
    position = data.draw(st.integers(0, len(text) - 1))
    word = data.draw(st.sampled_from(["x", "so-so", "👍", "\u0301", "", "two words", "\t"]) | st.text())
    place = text.chunks.places[position]
    if place is not None and word and not any(map(str.isspace, word)):
        chunks = list(text.chunks.strings)
        chunks[place.chunk] = place.before + word + place.after
        assert text.replace(position, word).chunks.strings == tuple(chunks)


def test_places() -> None:
    text = Text.of("(so-so) film,  yes").replace(1, "x")
    assert text.chunks.strings == ("(so-so)", "x,  yes")
    assert text.chunks.places == (WordPlace(0, "(", ")"), WordPlace(1, "", ",  yes"), WordPlace(1, "x,  ", ""))


def test_words_that_move_the_cuts_have_no_place() -> None:
    text = Text.of("a fine film")
    assert text.replace(1, "").chunks.places[1] is None
    assert text.replace(1, "very fine").chunks.places[1] is None
