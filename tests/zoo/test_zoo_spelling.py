"""The spelling of a changed text is the one it would have if it came from nowhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unfool import zoo
from unfool.text import Text

odd_words = st.text("abn't_-. \t\u0301\u20ac", max_size=6) | st.sampled_from(["ab", "g" * 40, "don't"])
odd_strings = st.text("abn't_-.( \t\u0301\u20ac", max_size=40) | st.just("Ab isn't (so-so), 's a ba.")


@pytest.mark.parametrize("alphabet", ["abn't.", None])
@pytest.mark.parametrize("longest", [20, 200])
@given(written=odd_strings, changes=st.lists(st.tuples(st.integers(0), odd_words), min_size=1, max_size=4))
@example(written="a 's b", changes=[(1, "a"), (1, "n't")])
def test_a_changed_word_is_spelt_as_the_changed_text_is(
    alphabet: str | None, longest: int, written: str, changes: list[tuple[int, str]]
) -> None:
    reader = zoo.CharWords(alphabet, max_length=longest)
    text = Text.of(written + " ab a.")
    reader.spell(text)
    for number, word in changes:
        text = text.replace(number % len(text), word)
        derived, plain = reader.spell(text), reader.spell(Text(text.words, text.gaps, text.fields))
        for one, other in zip(derived, plain, strict=True):
            np.testing.assert_array_equal(one, other)


def test_nothing_but_the_changed_word_is_spelt(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, text = zoo.CharWords("abcd"), Text.of("ab (cab), d")
    reader.spell(text)
    spelt: list[str] = []
    chunk = reader._chunk

    def noting(one: str) -> object:
        spelt.append(one)
        return chunk(one)

    monkeypatch.setattr(reader, "_chunk", noting)
    reader.spell(text.replace(1, "cub"))
    assert spelt == ["(cab),", "(cub),"]
