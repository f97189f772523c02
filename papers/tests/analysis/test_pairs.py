from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.toy_table import outcome

from unfool.engine import Status
from unfool.errors import UserError
from unfool.text import Text
from unfool_papers.analysis import fooling_pairs, pair_of
from unfool_papers.analysis.pairs import Place, places

some_words = st.lists(st.sampled_from(["a", "good", "bad", "film"]), max_size=7).map(" ".join).map(Text.of)


def test_words_of_texts_of_one_length_stand_beside_each_other() -> None:
    found = places(Text.of("a good film"), Text.of("a bad film"))
    assert found == [Place(0, 0, False), Place(1, 1, True), Place(2, 2, False)]


def test_an_inserted_word_has_no_place_before_and_moves_those_behind_it() -> None:
    found = places(Text.of("a film"), Text.of("a good film"))
    assert found == [Place(0, 0, False), Place(None, 1, True), Place(1, 2, False)]


def test_a_deleted_word_has_no_place_after() -> None:
    found = places(Text.of("a good film"), Text.of("a film"))
    assert found == [Place(0, 0, False), Place(1, None, True), Place(2, 1, False)]


@given(old=some_words, new=some_words)
def test_every_word_of_both_texts_has_one_place_and_unchanged_ones_are_equal(old: Text, new: Text) -> None:
    found = places(old, new)
    assert [place.before for place in found if place.before is not None] == list(range(len(old)))
    assert [place.after for place in found if place.after is not None] == list(range(len(new)))
    for place in found:
        if not place.changed:
            assert place.before is not None
            assert place.after is not None
            assert old.words[place.before] == new.words[place.after]


@pytest.mark.parametrize("word", ["!", "?!", "u.s."])
def test_a_word_replaced_by_what_is_no_single_word_keeps_its_place(word: str) -> None:
    found = pair_of(outcome("It is a good film.", f"It is a {word} film."))
    assert found.adversarial.words == ("It", "is", "a", word, "film")
    assert str(found.adversarial) == f"It is a {word} film."


def test_a_pair_of_sentences_keeps_its_fields() -> None:
    found = pair_of(outcome(("one film", "a good film"), ("one film", "a ? film"), names=("premise", "hypothesis")))
    assert [field.name for field in found.original.fields] == ["premise", "hypothesis"]
    assert found.adversarial.words == ("one", "film", "a", "?", "film")


def test_texts_with_several_words_inserted_are_read_as_they_are() -> None:
    found = pair_of(outcome("a film", "a very good film , a treat"))
    assert found.adversarial.words == ("a", "very", "good", "film", "a", "treat")


def test_only_successes_count() -> None:
    tried = [outcome("a film", "bad film", status) for status in (Status.FAILED, Status.SUCCESS, Status.SKIPPED)]
    assert [str(pair.adversarial) for pair in fooling_pairs(tried)] == ["bad film"]
    with pytest.raises(UserError, match="give another run"):
        fooling_pairs(tried[:1])
