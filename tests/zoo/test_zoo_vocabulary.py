from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.text import Text
from unfool.zoo import WordVocabulary
from unfool.zoo.encoders import encoder_from_json, split_words

PAD, UNKNOWN = 0, 1
LONE_SPACE = re.compile(r"(?<=\S) (?=\S)")
KNOWN = WordVocabulary(["is", "n't", "it", "'s", "a", "film", ",", ".", "σας"], max_length=10_000)

tricky = st.lists(
    st.sampled_from(
        ["[UNK]", "[", "]", "n't", "isn’t", "'s", "’", "'", " ", "  ", "\u00a0", "\x1f", "\u0301", "ΣΑΣ"]
    )
    | st.text(max_size=4)
).map("".join)


def read(vocabulary: WordVocabulary, text: str) -> list[str]:
    names = ["<pad>", "<unk>", *vocabulary.words]
    return [names[number] for number in vocabulary.whole([(text,)])[0].tokens]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It isn't a FILM.", ["it", "is", "n't", "a", "film", "."]),
        ("It’s", ["it", "'s"]),
        ("a-film,,", ["a", "<unk>", "film", ",", ","]),
        ("[UNK], a", ["<unk>", ",", "a"]),
        ("'sofa", ["<unk>", "<unk>"]),
        ("", []),
    ],
)
def test_words_clitics_and_single_marks_are_tokens(text: str, tokens: list[str]) -> None:
    assert read(KNOWN, text) == tokens


@given(tricky)
def test_pieces_of_a_text_cut_at_lone_spaces_are_the_whole(text: str) -> None:
    pieces = KNOWN.pieces(LONE_SPACE.split(text))
    assert [number for piece in pieces for number in piece] == KNOWN.whole([(text,)])[0].tokens


@given(st.text(alphabet="nNtTsSmlrevd'[]UNK_ a1.", max_size=12))
def test_plain_characters_are_read_as_all_others_are(text: str) -> None:
    beside_others = [word.written for word in split_words(f"{text} é")]
    assert [word.written for word in split_words(text)] == beside_others[:-1]


@given(tricky)
def test_padding_never_stands_for_a_word(text: str) -> None:
    assert PAD not in KNOWN.whole([(text,)])[0].tokens


def test_the_unknown_word_is_no_word_of_the_vocabulary() -> None:
    vocabulary = WordVocabulary.from_texts(["[UNK] film [UNK]"])
    assert vocabulary.words == ("film",)
    assert vocabulary.whole([("[UNK]",)])[0].tokens == [UNKNOWN]


def test_commonest_words_come_first_and_ties_in_alphabetical_order() -> None:
    vocabulary = WordVocabulary.from_texts(["c b b", "a c d"], size=3)
    assert vocabulary.words == ("b", "c", "a")
    assert len(vocabulary) == 5


def test_attacks_are_offered_words_that_can_stand_alone() -> None:
    assert KNOWN.vocabulary == ("is", "it", "a", "film", "σας")


def test_long_texts_lose_their_end() -> None:
    short = WordVocabulary(["a", "b", "c"], max_length=2)
    assert read(short, "a b c") == ["a", "b"]


def test_json_gives_the_vocabulary_back() -> None:
    again = encoder_from_json(json.loads(json.dumps(KNOWN.to_json())))
    assert isinstance(again, WordVocabulary)
    assert (again.words, again.max_length) == (KNOWN.words, KNOWN.max_length)
    assert again.whole([("It isn't",)]) == KNOWN.whole([("It isn't",)])


def test_tokens_know_their_words() -> None:
    text = Text.of("It isn't (so-so) .")
    whole, words = KNOWN.words_of_tokens(text)
    #                it is n't (  so - so )  .
    assert words == [0, 1, 1, -1, 2, 2, 2, -1, -1]
    assert len(whole.tokens) == len(words)


@given(first=tricky, second=tricky, changes=st.lists(st.tuples(st.integers(0), tricky), min_size=1, max_size=4))
def test_a_changed_word_is_read_as_the_changed_text_is(
    first: str, second: str, changes: list[tuple[int, str]]
) -> None:
    text = Text.pair(("one", first + " It isn't (so-so) ."), ("two", second))
    KNOWN.words_of_tokens(text)
    for number, word in changes:
        text = text.replace(number % len(text), word)
        derived = KNOWN.words_of_tokens(text)
        assert derived == KNOWN.words_of_tokens(Text(text.words, text.gaps, text.fields))
        assert derived[0] == KNOWN.whole([text.strings])[0]


def test_of_a_pair_the_longer_text_is_cut() -> None:
    vocabulary = WordVocabulary(list("abcdef"), max_length=6)
    inputs = [("a b", "c d"), ("a b c d e", "f"), ("a", "b c d e f a"), ("a b c d", "a b c d")]
    found = [(whole.tokens, whole.second) for whole in vocabulary.whole(inputs)]
    assert found == [
        ([2, 3, 4, 5], 2),
        ([2, 3, 4, 5, 6, 7], 5),
        ([2, 3, 4, 5, 6, 7], 1),
        ([2, 3, 4, 2, 3, 4], 3),
    ]
