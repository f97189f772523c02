"""CheckList's invariance tests and input reduction: changes made by hand, plain readings, brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.attacks.readings import attacked
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.invariance import Test, invariant_texts
from unfool.engine import Status
from unfool.text import Text

SENTENCES = [
    "It's not what they will do, I'm sure; don't go.",
    "Anna flew from London to Spain 12 times.",
    "no such word",
]


def variants(string: str, *tests: Test) -> list[str]:
    return [str(text) for text in invariant_texts(Text.of(string), tests, np.random.default_rng(0))]


def test_contractions_are_written_out_and_short() -> None:
    assert variants(SENTENCES[0], "contractions") == [
        "It is not what they will do, I'm sure; don't go.",
        "It's not what they'll do, I'm sure; don't go.",
        "It's not what they will do, I am sure; don't go.",
        "It's not what they will do, I'm sure; do not go.",
    ]
    # The worked examples of the paper's invariance tests.
    assert variants("can not WON’T Isn't", "contractions") == [
        "can't WON’T Isn't",
        "can not WILL NOT Isn't",
        "can not WON’T Is not",
    ]
    assert variants("They , are; not- is", "contractions") == []


@pytest.mark.parametrize("short", ["can't", "won't", "shan't", "i'm", "they'd", "she'll", "mustn't"])
def test_what_is_written_out_is_short_again(short: str) -> None:
    (long,) = variants(short, "contractions")
    assert variants(long, "contractions") == [short]


def test_names_places_and_numbers_give_way_to_others_of_their_kind() -> None:
    found = variants(SENTENCES[1], "names", "places", "numbers")
    kinds = [
        [k for k, (a, b) in enumerate(zip(SENTENCES[1].split(), new.split(), strict=True)) if a != b]
        for new in found
    ]
    assert {tuple(kind) for kind in kinds} == {(0,), (3,), (5,), (6,)}
    numbers = [int(new.split()[6]) for new in found if new.split()[6] != "12"]
    assert numbers
    assert all(10 <= number <= 14 for number in numbers)
    assert variants("anna london 2 4 0 x7 ٣", "names", "places", "numbers") == []


def test_each_change_is_one_query_and_the_worst_is_taken() -> None:
    fooled = 0
    for lean in (0.0, 1.0, 5.0):
        for outcome, ask in attacked("checklist", SENTENCES, lean=lean):
            draw = np.random.default_rng([3, outcome.id])
            texts = invariant_texts(ask.text, ("contractions", "names", "places", "numbers"), draw)
            scores = [1 - ask.belief(str(text)) for text in texts]
            assert outcome.queries == max(1, len(set(map(str, texts)))) or not texts
            if texts:
                assert 1 - ask.belief(outcome.perturbed[0]) == max(scores) or outcome.status is Status.SUCCESS
            else:
                assert outcome.reason == "no change proposed"
            fooled += outcome.status is Status.SUCCESS
    assert fooled


def test_several_changes_do_not_undo_each_other() -> None:
    for outcome, _ in attacked("checklist:test=contractions,changes=4", SENTENCES[:1], lean=9.0):
        assert outcome.status is Status.FAILED
        assert "'" not in outcome.perturbed[0] or outcome.perturbed[0].count("'") != 3


def test_reduced_to_the_fewest_words_that_keep_the_answer() -> None:
    """A wide beam finds what brute force over all subsets finds, where every step on the way keeps the answer."""
    victim = BagOfWords(lean=0.3)
    for sample in labelled(victim, ["a good film and a great cast", "dull plot of an awful film", "film", "so so"]):
        (found,) = outcomes(victim, [sample], find_attack("input-reduction:width=1000"))
        words = sample.text.words
        reached, level = 0, {tuple(range(len(words)))}
        while level and reached < len(words) - 1:
            shorter = {kept for whole in level for kept in combinations(whole, len(whole) - 1)}
            level = {kept for kept in shorter if victim.label((" ".join(words[i] for i in kept),)) == sample.label}
            reached += bool(level)
        assert found.notes["words left"] == len(words) - reached == len(found.perturbed[0].split())
        assert victim.label(found.perturbed) == sample.label
        assert found.status is Status.FAILED


def test_the_least_needed_word_goes_first() -> None:
    for outcome, ask in attacked(
        "input-reduction:width=1", ["a good film and a great cast", "the dull plot is awful"]
    ):
        words = list(ask.text.words)
        while len(words) > 1:
            shorter = list(dict.fromkeys(tuple(words[:i] + words[i + 1 :]) for i in range(len(words))))
            kept = [other for other in shorter if ask.victim.label((" ".join(other),)) == ask.gold]
            if not kept:
                break
            words = list(max(kept, key=lambda other: ask.belief(" ".join(other))))
        assert outcome.perturbed == (" ".join(words),)
