"""Splicing never gives anything but the encoding of the rendered text, whatever the tokenizer."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests import toy_tokenizers

from unfool.text import Text, Variants
from unfool.victims.tokens import (
    NO_SPLICE,
    DeviceUnits,
    Encoder,
    Outline,
    RowsOnDevice,
    TokenizerEncoder,
    UnitStore,
    UnitTable,
    never_splices,
    outline,
    spliced_rows,
)
from unfool.zoo import WordVocabulary

PAD = 77
CPU = torch.device("cpu")


class Row(NamedTuple):
    """What the model gets for one text."""

    ids: list[int]
    types: list[int] | None


class Reader(NamedTuple):
    """An encoder, and what encodes rendered texts without it."""

    encoder: Encoder
    plainly: Callable[[tuple[str, ...]], Row]


def hugging_face(make: Callable[[], Any], max_length: int) -> Reader:
    tokenizer = make()

    def plainly(strings: tuple[str, ...]) -> Row:
        # Lists, since a lone empty second text is taken for none.
        encoding = tokenizer(*([string] for string in strings), truncation=True, max_length=max_length)
        types = encoding["token_type_ids"][0] if "token_type_ids" in tokenizer.model_input_names else None
        return Row(encoding["input_ids"][0], types)

    encoder = TokenizerEncoder(tokenizer, max_length)
    assert encoder.splices
    return Reader(encoder, plainly)


def word_vocabulary(max_length: int) -> Reader:
    vocabulary = WordVocabulary(["film", "good", "is", "n't", "a", ",", "so", "-"], max_length=max_length)
    return Reader(vocabulary, lambda strings: Row(vocabulary.pieces(strings)[0][:max_length], None))


READERS: dict[str, Callable[[int], Reader]] = {
    "wordpiece": lambda length: hugging_face(toy_tokenizers.wordpiece, length),
    "wordpiece that changes nothing": lambda length: hugging_face(
        lambda: toy_tokenizers.wordpiece(
            lowercase=False, strip_accents=False, clean_text=False, handle_chinese_chars=False
        ),
        length,
    ),
    "byte pairs": lambda length: hugging_face(toy_tokenizers.byte_bpe, length),
    "byte pairs, space first": lambda length: hugging_face(
        lambda: toy_tokenizers.byte_bpe(prefix_space=True), length
    ),
    "byte pairs, own pattern": lambda length: hugging_face(toy_tokenizers.split_bpe, length),
    "unigram": lambda length: hugging_face(toy_tokenizers.unigram, length),
    "unigram, one space for many": lambda length: hugging_face(
        lambda: toy_tokenizers.unigram(collapse=True), length
    ),
    "the zoo's words": word_vocabulary,
}


@cache
def reader_and_table(name: str, max_length: int) -> tuple[Reader, UnitTable]:
    """One table for all examples, so that what earlier ones left in it is part of the test."""
    reader = READERS[name](max_length)
    return reader, UnitTable(reader.encoder)


def assert_rows_are_plain_encodings(reader: Reader, table: UnitTable, asked: Sequence[Variants]) -> None:
    rows = table.rows(asked)
    texts = [text for variants in asked for text in variants]
    assert len(rows.keys) == len(texts)
    if not texts:
        return
    width = max(1, min(reader.encoder.max_length, int(rows.lengths.max()) + len(reader.encoder.suffix)))
    on_device = RowsOnDevice(rows, np.arange(len(texts)), DeviceUnits(table.store, CPU), reader.encoder, PAD)
    batch = on_device.batch(slice(0, len(texts)), width)
    shipped = spliced_rows(rows, np.arange(len(texts)), table.store, reader.encoder)
    starts = np.cumsum(shipped.lengths) - shipped.lengths
    by_key: dict[int, Row] = {}
    by_text: dict[tuple[str, ...], int] = {}
    for number, text in enumerate(texts):
        expected = reader.plainly(text.strings)
        count = len(expected.ids)
        assert batch.ids[number].tolist() == expected.ids + [PAD] * (width - count), text.strings
        assert batch.mask[number].tolist() == [True] * count + [False] * (width - count), text.strings
        if expected.types is not None:
            assert batch.types[number].tolist() == expected.types + [0] * (width - count), text.strings
        assert shipped.tokens[starts[number] :][: shipped.lengths[number]].tolist() == expected.ids, text.strings
        in_first = len(batch.types[number]) - int(batch.types[number].sum())
        assert shipped.seconds[number] == in_first - (width - count), text.strings
        key = int(rows.keys[number])
        assert by_key.setdefault(key, expected) == expected, "equal keys, other tokens"
        assert by_text.setdefault(text.strings, key) == key, "one text, two keys"


pieces = st.sampled_from(
    [
        *("film", "good", "A", "isn't", "so-so", "42", "'s", ".", ",", "(", "##a", "é", "ﬁ", "İ", "ß"),
        *(
            " ",
            "  ",
            "\t",
            "\n",
            "\u00a0",
            "\0",
            "\x01",
            "\u200b",
            "\ufeff",
            "\ufffd",
            "\u2581",
            "\u00b4",
            "\u0301",
        ),
        *("[UNK]", "[MASK]", "<mask>", "<unk>", "</s>"),
        *("😀", "👩‍👧", "中文", "שָׁלוֹם", "مرحبا", "\u1100\u1161"),
    ]
) | st.text(max_size=5)
strings = st.lists(pieces, max_size=8).flatmap(
    lambda parts: st.sampled_from([" ", ""]).map(lambda gap: gap.join(parts))
)
swaps = st.lists(st.tuples(st.integers(0, 99), st.just("") | pieces | strings), max_size=5)


def questions(text: Text, changes: list[tuple[int, str]]) -> list[Variants]:
    """What an attack might ask: the text, variants of it, and variants of texts changed one word after another."""
    asked = [Variants.of_texts([text])]
    if text.words:
        positions, words = [number % len(text) for number, _ in changes], [word for _, word in changes]
        asked.append(text.variants(positions, words))
        several = dict(zip(positions, words, strict=True))
        fewer = dict(list(several.items())[1:])
        both = [text.replace_several(list(some), some.values()) for some in (several, fewer)]
        asked += [Variants.of_texts(both), both[0].variants(positions, words)]
        for position, word in zip(positions, words, strict=True):
            text = text.replace(position, word)
            asked += [text.variants(positions, words), Variants.of_texts([text])]
    return asked


@pytest.mark.parametrize("max_length", [9, 64])
@pytest.mark.parametrize("name", READERS)
@settings(max_examples=30)
@given(first=strings, second=st.none() | strings, changes=swaps, at_once=st.booleans())
@example(first="a film", second=None, changes=[(1, "")], at_once=True)
@example(first="\0", second="\0\0", changes=[], at_once=True)
@example(first="film \ufffd good", second=None, changes=[(0, "\u2581")], at_once=False)
@example(first="a good film", second="so so", changes=[(4, "x y"), (4, "<mask>"), (0, "")], at_once=False)
def test_spliced_rows_are_the_encodings_of_the_rendered_texts(
    name: str, max_length: int, first: str, second: str | None, changes: list[tuple[int, str]], at_once: bool
) -> None:
    reader, table = reader_and_table(name, max_length)
    if second is None or name == "the zoo's words":
        text = Text.of(first)
    else:
        text = Text.pair(("premise", first), ("hypothesis", second))
    asked = questions(text, changes)
    for part in [asked] if at_once else [[variants] for variants in asked]:
        assert_rows_are_plain_encodings(reader, table, part)


gappy = st.lists(st.sampled_from(["film", "X", ".", " ", "  ", "\t"]), max_size=8).map("".join)


@settings(max_examples=250)
@given(
    gappy,
    st.none() | gappy,
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["film", "", " ", "  ", "a b", "\t"])), max_size=4),
)
def test_spaces_never_confuse_the_splicing(first: str, second: str | None, changes: list[tuple[int, str]]) -> None:
    """Byte pairs have a token for every space, so they tell one too many or too few."""
    reader, table = reader_and_table("byte pairs, space first", 64)
    text = Text.of(first) if second is None else Text.pair(("premise", first), ("hypothesis", second))
    assert_rows_are_plain_encodings(reader, table, questions(text, changes))


@pytest.mark.parametrize("name", READERS)
def test_plain_changes_are_spliced_not_encoded_anew(name: str) -> None:
    reader = READERS[name](64)
    table = UnitTable(reader.encoder)
    text = Text.of("a good film is so good")
    table.rows([Variants.of_texts([text])])
    wholes: list[Any] = []
    encoder: Any = reader.encoder
    encoder.whole = wholes.append
    assert_rows_are_plain_encodings(
        reader,
        table,
        [
            text.variants([1, 2, 5, 5], ["dull", "[UNK]", "😀", ""]),
            text.replace(2, "plot").variants([0], "x"),
            text.replace_several([5, 1], ["x", "plot"]).variants([0, 5], ["x", "good"]),
        ],
    )
    assert wholes == []


@pytest.mark.parametrize("name", ["wordpiece", "the zoo's words"])
def test_a_text_that_lacks_a_word_is_its_base_without_a_unit(name: str) -> None:
    table = UnitTable(READERS[name](64).encoder)
    text = Text.of("a good film , so good")
    rows = table.rows([text.variants(range(len(text)), "")])
    assert rows.which.tolist() == [0] * len(text)
    assert len(set(rows.keys.tolist())) == len(text)


@pytest.mark.parametrize("name", READERS)
def test_what_many_texts_come_from_is_encoded_for_them(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = READERS[name](64)
    table = UnitTable(reader.encoder)
    text = Text.of("a good film is so good")
    cut: list[Text] = []

    def noted(text: Text, lead: str) -> Outline:
        cut.append(text)
        return outline(text, lead)

    monkeypatch.setattr("unfool.victims.tokens._bases.outline", noted)
    many = [text.replace_several([1, 5], [word, "dull"]) for word in ("so", "film", "x", "is")]
    assert_rows_are_plain_encodings(reader, table, [Variants.of_texts(many)])
    assert cut == [text]


def test_texts_the_model_cannot_tell_apart_share_a_key() -> None:
    table = UnitTable(TokenizerEncoder(toy_tokenizers.wordpiece(), 64))
    text = Text.of("a good film")
    keys = table.rows([text.variants([1, 1, 1], ["Good", "GOOD", "bad"]), Variants.of_texts([text])]).keys
    assert keys[0] == keys[1] == keys[3] != keys[2]


@pytest.mark.parametrize("many", ["tokens", "bases", "words"])
def test_a_full_table_starts_anew_and_stays_right(many: str, monkeypatch: pytest.MonkeyPatch) -> None:
    limit = {"tokens": "_MAX_TOKENS", "bases": "_MAX_BASES", "words": "_MAX_WORDS"}[many]
    monkeypatch.setattr(f"unfool.victims.tokens._bases.{limit}", 40)
    reader = READERS["byte pairs"](64)
    table = UnitTable(reader.encoder)
    first = weakref.ref(text := Text.of("film number0 is so good"))
    for number in range(60):
        text = text if number == 0 else Text.of(f"film number{number} is so good")
        assert_rows_are_plain_encodings(reader, table, questions(text, [(number, f"word{number}"), (2, "")]))
        assert table.store.used < 200 or many != "tokens"
    assert first() is None


def test_arrays_on_the_device_follow_a_growing_store() -> None:
    reader = READERS["wordpiece"](64)
    table = UnitTable(reader.encoder)
    units = DeviceUnits(table.store, CPU)
    for number in range(400):
        table.rows([Variants.of_texts([Text.of(f"film {'x' * (number % 15)} {number}")])])
        tokens, starts, counts = units.tensors()
        assert tokens[: table.store.used].tolist() == table.store.tokens[: table.store.used].tolist()
        assert starts[: table.store.units].tolist() == table.store.starts[: table.store.units].tolist()
        assert counts[: table.store.units].tolist() == table.store.counts[: table.store.units].tolist()


gappy_with_controls = st.lists(st.sampled_from(["film", "X", "é", "\x96", "\x91", ".", " ", "  "]), max_size=8).map(
    "".join
)


@given(gappy_with_controls, st.none() | gappy_with_controls, swaps)
@example(first="film \x96 film", second=None, changes=[(0, "X")])
@example(first="film \x96  film", second="\x96 film \x96", changes=[(1, ""), (0, "a ")])
def test_texts_said_never_to_splice_are_those_that_do_not(
    first: str, second: str | None, changes: list[tuple[int, str]]
) -> None:
    encoder = READERS["byte pairs"](64).encoder
    store = UnitStore(encoder)
    text = Text.of(first) if second is None else Text.pair(("premise", first), ("hypothesis", second))
    for variant in (variant for variants in questions(text, changes) for variant in variants):
        if never_splices(variant):
            names = outline(variant, encoder.lead).names
            store.learn(names)
            assert NO_SPLICE in map(store.ids.__getitem__, names), variant.strings
    assert never_splices(Text.of("film \x96 X"))
