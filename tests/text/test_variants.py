"""Variants are the texts they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.text import DELETED, UNCHANGED, Text, Variants, as_variants

FINE = Text.of("a fine, dull film")


@given(st.text(), st.lists(st.tuples(st.integers(min_value=0), st.text())))
def test_each_variant_is_the_base_with_one_word_changed(string: str, swaps: list[tuple[int, str]]) -> None:
    base = Text.of(string)
    if not base.words:
        swaps = []
    positions = [number % len(base) for number, _ in swaps]
    variants = base.variants(positions, [word for _, word in swaps])
    expected = [
        base.replace(position, word) if word else base.delete(position)
        for position, (_, word) in zip(positions, swaps, strict=True)
    ]
    assert list(variants) == expected
    assert [text.strings for text in variants] == [text.strings for text in expected]
    assert len(variants) == len(swaps)


def test_one_word_serves_every_position() -> None:
    assert [str(text) for text in FINE.variants([0, 3], "x")] == ["x fine, dull film", "a fine, dull x"]
    assert [str(text) for text in FINE.variants([0, 2], DELETED)] == ["fine, dull film", "a fine, film"]


def test_positions_and_words_go_together() -> None:
    with pytest.raises(ValueError, match="2 positions for 1 words"):
        FINE.variants([0, 1], ["x"])


def test_some_of_them() -> None:
    variants = FINE.variants([0, 1, 2], ["x", "y", "z"])
    assert list(variants.take([2, 0])) == [variants[2], variants[0]]


def test_several_bases_and_unchanged_ones() -> None:
    other = Text.of("so sad")
    mixed = Variants([FINE, other], [1, 0, 1], [UNCHANGED, 1, 0], ["", "good", "very"])
    assert [str(text) for text in mixed] == ["so sad", "a good, dull film", "very sad"]


def test_one_text_or_several_are_variants_too() -> None:
    other = Text.of("so sad")
    variants = FINE.variants([0], "x")
    assert list(as_variants(FINE)) == [FINE]
    assert list(as_variants([FINE, other])) == [FINE, other]
    assert as_variants(variants) is variants
