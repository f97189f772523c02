"""The words a net takes a misspelt word for."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from tests.made_outcomes import outcome
from tests.toy_nets import WORDS, toy_net
from tests.toys import BagOfWords

from unfool import zoo
from unfool.engine import Status
from unfool.errors import UserError
from unfool_papers.analysis import Near, Perturbed, nearest_words, neighbour_table, perturbed_words

PAIRS = [("good", "goad"), ("film", "fixlm"), ("awful", "wful")]
KNOWN = [word for word in WORDS if word.isalpha()]


@pytest.fixture(scope="module")
def victim() -> zoo.NetVictim:
    return toy_net("LSTM", zoo.CharWords("abcdefghijklmnoprstuwxz", words=KNOWN), "CharCNN", units=5, pool="last")


def highway(victim: zoo.NetVictim, word: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The front's own answer about one word."""
    ids = torch.tensor([victim.encoder.pieces([word])[0]])
    front = victim.module.front
    with torch.inference_mode():
        read = front.read(front.embed(ids), ids, torch.ones_like(ids, dtype=torch.bool))
    return read.vectors[0, 0].double().numpy()


def cosine(victim: zoo.NetVictim, one: str, other: str) -> float:
    first, second = highway(victim, one), highway(victim, other)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def test_neighbours_are_the_nearest_at_the_highway_output(victim: zoo.NetVictim) -> None:
    for pair, found in zip(PAIRS, nearest_words(victim, PAIRS, k=4), strict=True):
        assert (found.original, found.perturbed) == pair
        assert found.cosine == pytest.approx(cosine(victim, *pair), abs=2e-4)
        for word, near in zip(pair, (found.near_original, found.near_perturbed), strict=True):
            cosines = sorted((cosine(victim, word, each) for each in KNOWN if each != word), reverse=True)
            assert [each.cosine for each in near] == pytest.approx(cosines[:4], abs=2e-4)
            assert [each.cosine for each in near] == pytest.approx(
                [cosine(victim, word, each.word) for each in near], abs=2e-4
            )


def test_the_vocabulary_may_be_given(victim: zoo.NetVictim) -> None:
    (found,) = nearest_words(victim, PAIRS[:1], vocabulary=["dull", "good", "plot", "dull"], k=5)
    assert {near.word for near in found.near_original} == {"dull", "plot"}
    assert {near.word for near in found.near_perturbed} == {"dull", "good", "plot"}
    assert not found.strayed


def test_a_vocabulary_without_single_words_is_refused(victim: zoo.NetVictim) -> None:
    with pytest.raises(UserError, match=r"'well-cast' is not one to .*; give a vocabulary of single words"):
        nearest_words(victim, PAIRS, vocabulary=["well-cast", "so so"])


def test_what_the_net_reads_as_several_words_is_left_out(victim: zoo.NetVictim) -> None:
    found = nearest_words(victim, [("well-cast", "weall-cast"), PAIRS[0], ("film", "fi-lm")])
    assert [(each.original, each.perturbed) for each in found] == PAIRS[:1]


def test_a_word_has_strayed_where_it_is_not_among_the_neighbours() -> None:
    near = (Near("Hutu", 0.9), Near("tofu", 0.8))
    assert Perturbed("you", "yoTu", 0.4, (), near).strayed
    assert not Perturbed("hutu", "hTutu", 0.9, (), near).strayed


def test_the_table_shows_words_that_strayed_first() -> None:
    kept = Perturbed("ship", "shxp", 0.9, (), (Near("ship", 0.9),))
    lost = Perturbed("past", "pasTt", 0.4, (), (Near("pasta", 0.7), Near("paste", 0.6)))
    changed_more = lost._replace(perturbed="prsTt")
    figure = neighbour_table([kept, changed_more, lost], columns=1)
    assert [(row["pair"], row["rank"], row["word"]) for row in figure.rows] == [
        ("past → pasTt", 1, "pasta"),
        ("past → pasTt", 2, "paste"),
    ]
    assert "2 of 3 changed words" in figure.caption


def test_changed_words_are_taken_from_the_successes_the_commonest_first() -> None:
    made = [
        outcome("the ship sank", "the shxp sank"),
        outcome("two past days", "two pasTt days"),
        outcome("my past self", "my pasTt self"),
        outcome("two words", "one longer phrase"),  # not word for word
        outcome("oh no", "oh nno", status=Status.FAILED),
    ]
    assert perturbed_words(made) == [("past", "pasTt"), ("ship", "shxp")]


def test_what_is_missing_is_said(victim: zoo.NetVictim) -> None:
    words_only = toy_net("LSTM", zoo.WordVocabulary(WORDS), units=4)
    for blind in (BagOfWords(), words_only):
        with pytest.raises(UserError, match="needs a net that reads characters"):
            nearest_words(blind, PAIRS)
    with pytest.raises(UserError, match=r"are looked up in a vocabulary, and .* has none"):
        nearest_words(victim, PAIRS, vocabulary=[])
    with pytest.raises(UserError, match=r"\('two words', 'one'\) is not one word and what became of it"):
        nearest_words(victim, [("two words", "one")])
    with pytest.raises(UserError, match="no word was changed"):
        neighbour_table([])
