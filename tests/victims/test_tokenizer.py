"""What is found out about a tokenizer before anything is spliced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests import toy_tokenizers
from tokenizers import AddedToken

from unfool.text import Text
from unfool.victims.tokens import TokenizerEncoder


@pytest.mark.parametrize(
    ("make", "lead", "prefix", "middle", "suffix"),
    [
        (toy_tokenizers.wordpiece, "", ["[CLS]"], ["[SEP]"], ["[SEP]"]),
        (toy_tokenizers.byte_bpe, " ", ["<s>"], ["</s>", "</s>"], ["</s>"]),
        (toy_tokenizers.split_bpe, " ", ["<s>"], ["</s>", "</s>"], ["</s>"]),
        (toy_tokenizers.unigram, " ", ["<s>"], ["</s>", "</s>"], ["</s>"]),
    ],
)
def test_what_stands_around_texts_is_found(
    make: Callable[[], Any], lead: str, prefix: list[str], middle: list[str], suffix: list[str]
) -> None:
    tokenizer = make()
    encoder = TokenizerEncoder(tokenizer, 64)
    assert encoder.splices
    assert encoder.lead == lead
    found = [tokenizer.convert_ids_to_tokens(list(ids)) for ids in (encoder.prefix, encoder.middle, encoder.suffix)]
    assert found == [prefix, middle, suffix]


def eats_the_space_after_it() -> Any:
    tokenizer = toy_tokenizers.byte_bpe()
    tokenizer.add_tokens([AddedToken("<sep>", rstrip=True)])
    return tokenizer


def has_a_token_of_two_words() -> Any:
    tokenizer = toy_tokenizers.wordpiece()
    tokenizer.add_tokens(["good film"])
    return tokenizer


def cuts_from_the_left() -> Any:
    tokenizer = toy_tokenizers.wordpiece()
    tokenizer.truncation_side = "left"
    return tokenizer


WHOLE_ONLY = [
    toy_tokenizers.triples,
    toy_tokenizers.unbroken,
    eats_the_space_after_it,
    has_a_token_of_two_words,
    cuts_from_the_left,
]


@pytest.mark.parametrize("make", WHOLE_ONLY)
def test_a_tokenizer_that_cannot_be_spliced_is_detected(make: Callable[[], Any]) -> None:
    assert not TokenizerEncoder(make(), 64).splices


@pytest.mark.parametrize("make", WHOLE_ONLY)
@pytest.mark.parametrize("strings", [("a good film",), ("a good film", "it is <sep> dull"), ("", "")])
def test_whole_encodings_are_the_tokenizers_own(make: Callable[[], Any], strings: tuple[str, ...]) -> None:
    tokenizer = make()
    encoder = TokenizerEncoder(tokenizer, 12)
    plain = tokenizer(*([string] for string in strings), truncation=True, max_length=12)["input_ids"][0]
    assert [*encoder.whole([strings])[0].tokens, *encoder.suffix] == plain


def test_single_texts_and_pairs_may_come_together() -> None:
    encoder = TokenizerEncoder(toy_tokenizers.wordpiece(), 64)
    single, pair = encoder.whole([("a film",), ("a film", "good")])
    assert single == encoder.whole([("a film",)])[0]
    assert single.second is None
    assert pair == encoder.whole([("a film", "good")])[0]
    assert pair.second == len(single.tokens) + 1


@pytest.mark.parametrize("make", [toy_tokenizers.wordpiece, toy_tokenizers.byte_bpe, toy_tokenizers.unigram])
@pytest.mark.parametrize(
    "text",
    [
        Text.of("The film isn't so-so, 😀 is it?"),
        Text.of("  lovely\tplot "),
        Text.pair(("premise", "a good film"), ("hypothesis", "the plot, dull")),
        Text.of(""),
    ],
)
def test_tokens_know_their_words(make: Callable[[], Any], text: Text) -> None:
    tokenizer = make()
    encoder = TokenizerEncoder(tokenizer, 64)
    whole, words = encoder.words_of_tokens(text)
    ids = [*whole.tokens, *encoder.suffix]
    assert len(words) == len(ids)
    spelled = dict.fromkeys(range(len(text)), "")
    for token, word in zip(tokenizer.convert_ids_to_tokens(ids), words, strict=True):
        if word >= 0:
            spelled[word] += token.removeprefix("##").strip("Ġ▁")
    assert (
        list(spelled.values())
        == [word.lower() if make is toy_tokenizers.wordpiece else word for word in text.words]
        or make is toy_tokenizers.unigram
    )  # which spells capital letters <unk>
    assert set(words) >= set(range(len(text)))
    assert words[0] == words[-1] == -1


def test_the_vocabulary_is_whole_words() -> None:
    wordpiece = TokenizerEncoder(toy_tokenizers.wordpiece(), 64).vocabulary
    assert {"film", "good", "the"} <= set(wordpiece)
    assert not any(word.startswith("##") or word in ("[PAD]", "[UNK]") for word in wordpiece)
    unigram = TokenizerEncoder(toy_tokenizers.unigram(), 64).vocabulary
    assert unigram == toy_tokenizers.WORDS
