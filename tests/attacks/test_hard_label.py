"""The hard-label attack: against a plain reading, and on a victim that tells nothing but its answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike
from tests.attacks.readings import Reader, assert_same, attacked
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.attacks.parts.offers import neighbours
from unfool.engine import Status
from unfool.errors import VictimError
from unfool.lexicon import counter_fitted
from unfool.victims import Input

SENTENCES = [
    "a good film and a great cast in a small town",
    "the dull story of a young actor who lost hope",
    "this film shows poor people",
    "her first novel never finds hope",
    "of the and",
]


class OnlyTheLabel(BagOfWords):
    """Says which label it is, with all its belief."""

    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
        return np.stack([np.eye(len(self.labels))[self.label(strings)] for strings in inputs])


def reading(ask: Reader, identity: int, starts: int, rounds: int) -> list[str]:
    draw, original = np.random.default_rng([3, identity]), list(ask.text.words)
    offers = {i: words for i, words in neighbours(ask.text).items() if words}

    def fools(words: list[str]) -> bool:
        ask(words)
        return ask.fooled(words)

    def cosine(i: int, word: str) -> float:
        found = counter_fitted().cosine(original[i], word)
        return -1.0 if found is None else found

    def undone(words: list[str]) -> list[str]:
        places = sorted((i for i in offers if words[i] != original[i]), key=lambda i: cosine(i, words[i]))
        for i in places:
            back = ask.replaced(words, i, original[i])
            if back != original and fools(back):
                words = back
        return words

    words, spots = original, list(offers)
    for number in range(starts if spots else 0):
        count = max(1, int(np.ceil(len(spots) * (number + 1) / starts)))
        chosen = [spots[k] for k in draw.permutation(len(spots))[:count]]
        words = list(original)
        for i in chosen:
            words[i] = offers[i][int(draw.integers(len(offers[i])))]
        if fools(words):
            break
    else:
        return original
    words = undone(words)
    for _ in range(rounds):
        before = words
        for i in [i for i in offers if words[i] != original[i]]:
            nearer = sorted(
                (w for w in offers[i] if cosine(i, w) > cosine(i, words[i])), key=lambda w: -cosine(i, w)
            )
            words = next((new for w in nearer if fools(new := ask.replaced(words, i, w))), words)
        words = undone(words)
        if words == before:
            break
    return words


@pytest.mark.usefixtures("lexicons")
@pytest.mark.parametrize("lean", [0.0, 2.0])
@pytest.mark.parametrize("rounds", [0, 3])
def test_it_is_the_plain_reading(lean: float, rounds: int) -> None:
    for outcome, ask in attacked(f"hard-label:starts=20,rounds={rounds}", SENTENCES, lean=lean):
        assert_same(outcome, ask, reading(ask, outcome.id, 20, rounds))


@pytest.mark.usefixtures("lexicons")
def test_a_victim_that_tells_only_its_label_is_fooled_alike() -> None:
    results = []
    for victim in (BagOfWords(lean=1.0), OnlyTheLabel(lean=1.0)):
        results.append(outcomes(victim, labelled(victim, SENTENCES), find_attack("hard-label")))
    for told, untold in zip(*results, strict=True):
        assert (told.perturbed, told.queries, told.status) == (untold.perturbed, untold.queries, untold.status)
    assert sum(outcome.status is Status.SUCCESS for outcome in results[0]) >= 2


@pytest.mark.usefixtures("lexicons")
def test_no_word_is_replaced_that_need_not_be() -> None:
    for outcome, ask in attacked("hard-label", SENTENCES):
        if outcome.status is not Status.SUCCESS:
            continue
        ((first,), words) = outcome.perturbed, list(ask.text.words)
        now = [a if a == b else b for a, b in zip(words, first.split(), strict=True)]
        changed = [i for i, word in enumerate(now) if word != words[i]]
        assert all(not ask.fooled(ask.replaced(now, i, words[i])) for i in changed)
