"""The faster genetic attack against a plain reading: what may stand where is told once, then texts are bred."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

import numpy as np
import pytest
from tests.attacks.readings import Reader, assert_same, largest
from tests.toys import BagOfWords, labelled, outcomes

from unfool.attacks import find_attack
from unfool.engine import Budget, Outcome
from unfool.lexicon import StringService, counter_fitted, stop_words

pytestmark = pytest.mark.usefixtures("lexicons")
SENTENCES = [
    "a good film and a great cast",
    "The dull story of a young Actor",
    "this film shows poor people",
    "some good old music in a small town",
    "the of and",
    "",
]
LONG = [
    "the dull story of a young actor, who finds hope in a small town; an awful plot slowly destroys the whole cast",
    "Some good old music, a funny story and great people: the young cast tells what poor films never show",
    "this film shows poor people",
]
POPULATION = 6
SIDE = 6
T = TypeVar("T")
Words = list[str]
Offers = Mapping[int, Sequence[str]]


class ToyModel(StringService[float]):
    """A language model whose every string has a surprise of its own, and which remembers what it read."""

    def __init__(self) -> None:
        super().__init__()
        self.read = set[str]()

    @property
    def totals(self) -> ToyModel:
        return self

    def work_out(self, strings: Sequence[str]) -> list[float]:
        self.read.update(strings)
        return [self.surprise(string) for string in strings]

    @staticmethod
    def surprise(string: str) -> float:
        return float(zlib.crc32(string.encode()) % 12)  # few values, so that some are just at the limit


@cache
def all_vectors() -> Any:
    return np.array([counter_fitted().vector(name) for name in counter_fitted().words])


@cache
def neighbours_of(word: str, count: int) -> list[str]:
    """The nearest by counter-fitted vectors of length one, closer than 0.5 squared, written as the word is."""
    own, names = counter_fitted().vector(word), counter_fitted().words
    if own is None or word.lower() in stop_words("textfooler"):
        return []
    cosines = np.round(all_vectors() @ own, 5)
    order = [n for n in np.argsort(-cosines, kind="stable").tolist() if names[n] != word.lower()]
    near = [names[n] for n in order[:count] if 2 - 2 * cosines[n] <= 0.5]
    return [name.capitalize() if word[0].isupper() else name for name in near]


def told(ask: Reader, nearest: int) -> Offers:
    """The neighbours of the original's words."""
    found = {at: neighbours_of(word, nearest) for at, word in enumerate(ask.text.words)}
    return {at: near for at, near in found.items() if near}


def around(words: Sequence[str], gaps: Sequence[str], at: int) -> str:
    """A word with up to six words to either side, as they stand."""
    first, last = max(0, at - SIDE), min(len(words) - 1, at + SIDE)
    return "".join(words[n] + gaps[n + 1] for n in range(first, last)) + words[last]


def searched(
    spec: str, strings: Sequence[str], *, lean: float, seed: int, generations: int = 6, budget: Budget | None = None
) -> list[tuple[Outcome, Reader, np.random.Generator]]:
    """What the attack finds, each with a reader of its text and the draws that it made."""
    victim = BagOfWords(lean=lean)
    samples = labelled(victim, strings)
    attack = find_attack(f"faster-genetic:population={POPULATION},generations={generations},{spec}")
    found = outcomes(victim, samples, attack, seed=seed, budget=budget or Budget())
    return [
        (outcome, Reader(sample.text, victim), np.random.default_rng([seed, sample.id]))
        for outcome, sample in zip(found, samples, strict=True)
    ]


def bred(
    ask: Reader,
    offers: Offers,
    draw: np.random.Generator,
    *,
    generations: int = 6,
    temperature: float = 0.3,
    most: float = math.inf,
) -> tuple[Words, int]:
    """The words the attack ends with, and in which generation; ``most`` words may change."""
    original, spots = list(ask.text.words), list(offers)
    if not spots or most < 1:
        return original, 0

    def changes(words: Words) -> list[int]:
        return [at for at in spots if words[at] != original[at]]

    def perturbed(words: Words, luck: float) -> Words:
        """With the best word at one place, drawn by how much is offered there: a new one, if one may be."""
        before, changed = ask(words), changes(words)
        new = [at for at in spots if at not in changed] if len(changed) + 1 <= most else []
        at = drawn(new or changed, [len(offers[at]) for at in new or changed], luck)
        ways = [ask.replaced(words, at, other) for other in offers[at] if other != words[at]]
        gains = [ask(way) for way in ways]
        return ways[largest(gains)] if gains and max(gains) > before else words

    herd = [perturbed(original, luck) for luck in draw.random(POPULATION).tolist()]
    for generation in range(1, generations + 1):
        best = herd[largest(map(ask, herd))]
        fooling = [words for words in herd if ask.fooled(words)]
        if fooling:
            return fooling[largest(map(ask, fooling))], generation
        if generation == generations:
            break
        chances = [math.exp(ask(words) / temperature) for words in herd]
        pairs = [[drawn(herd, chances, luck) for luck in row] for row in draw.random((2, POPULATION - 1)).tolist()]
        coins = draw.random((POPULATION - 1, len(spots))).tolist()
        children = list[Words]()
        for mother, father, coin in zip(*pairs, coins, strict=True):
            child = list(original)
            for at, side in zip(spots, coin, strict=True):
                child[at] = mother[at] if side < 0.5 else father[at]
            children.append(child if len(changes(child)) <= most else mother)
        lucks = draw.random(POPULATION - 1).tolist()
        herd = [best, *(perturbed(child, luck) for child, luck in zip(children, lucks, strict=True))]
    return best, generation


def drawn(things: Sequence[T], chances: Sequence[float], luck: float) -> T:
    """What a number from 0 to 1 draws."""
    goal = luck * math.fsum(chances)
    for thing, chance in zip(things, chances, strict=True):
        goal -= chance
        if goal < 0:
            return thing
    return things[-1]


@pytest.mark.parametrize("seed", [3, 8, 21])
@pytest.mark.parametrize(
    ("generations", "nearest", "temperature", "lean"),
    [(6, 8, 0.3, 0.5), (6, 8, 0.3, 2.0), (6, 8, 0.05, 3.5), (6, 2, 1.0, 5.0), (3, 8, 0.3, 5.0)],
)
def test_texts_are_bred_of_what_was_told(
    seed: int, generations: int, nearest: int, temperature: float, lean: float
) -> None:
    late = changed = 0
    spec = f"surprise=none,nearest={nearest},temperature={temperature}"
    for outcome, ask, draw in searched(spec, SENTENCES, lean=lean, seed=seed, generations=generations):
        words, generation = bred(ask, told(ask, nearest), draw, generations=generations, temperature=temperature)
        assert_same(outcome, ask, words)
        late = max(late, generation)
        changed = max(changed, sum(a != b for a, b in zip(words, ask.text.words, strict=True)))
    assert late > 2 or lean < 2
    assert changed > 2 or lean < 2


@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.4])
def test_no_text_changes_more_words_than_may_change(seed: int, share: float) -> None:
    over = 0
    for outcome, ask, draw in searched(
        "surprise=none", SENTENCES + LONG, lean=4.0, seed=seed, budget=Budget(words=share)
    ):
        words, generation = bred(ask, told(ask, 8), draw, most=share * len(ask.text.words))
        assert_same(outcome, ask, words)
        over += generation == 6
    assert over or not share


@pytest.mark.parametrize("seed", [3, 8])
@pytest.mark.parametrize("surprise", [0.0, 5.0])
def test_a_language_model_says_beforehand_what_fits_the_original(
    seed: int, surprise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, read, kinds = ToyModel(), set[str](), set[int]()
    monkeypatch.setattr("unfool.attacks.recipes.faster_genetic.language_model", lambda: model)
    for outcome, ask, draw in searched(f"surprise={surprise}", LONG, lean=4.0, seed=seed):
        words, gaps, offers = list(ask.text.words), ask.text.gaps, dict[int, Words]()
        for at, near in told(ask, 8).items():
            strings = [around(ask.replaced(words, at, other), gaps, at) for other in near]
            worse = [model.surprise(string) - model.surprise(around(words, gaps, at)) for string in strings]
            read |= {around(words, gaps, at), *strings}
            offers[at] = [other for other, more in zip(near, worse, strict=True) if more <= surprise]
            kinds |= {(more > surprise) - (more < surprise) for more in worse}
        found, _ = bred(ask, {at: near for at, near in offers.items() if near}, draw)
        assert_same(outcome, ask, found)
    assert model.read == read, "it reads the original with one word replaced, and nothing else"
    assert kinds == {-1, 0, 1}, "some words fit, some just so, some do not"
