"""PSO and IGA against plain readings: lists of words, one text and one number after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.attacks.readings import Reader, assert_same, attacked, largest

from unfool.attacks.parts.offers import Offers, neighbours, synonyms

pytestmark = pytest.mark.usefixtures("lexicons")
SENTENCES = [
    "a good film and a great cast",
    "the dull story of a young actor",
    "this film shows poor people",
    "her first novel never finds hope",
]
Words = list[str]
Chosen = tuple[Words, float]
"""A text of the population, and how near to the goal it is."""


class Reading:
    """What a text may become, and the draws that the attack makes for its sample."""

    def __init__(self, ask: Reader, offers: Offers, number: int) -> None:
        self.ask, self.text = ask, list(ask.text.words)
        self.offers = {at: [w for w in dict.fromkeys(ws) if w != self.text[at]] for at, ws in offers.items()}
        self.offers = {at: words for at, words in self.offers.items() if words}
        self.spots, self.draw = list(self.offers), np.random.default_rng([3, number])

    def best_at(self, words: Words, at: int) -> Chosen | None:
        """The substitute that does most at a place, if there is another than stands there."""
        ways = [self.ask.replaced(words, at, other) for other in self.offers[at] if other != words[at]]
        gains = [self.ask(way) for way in ways]
        return (ways[largest(gains)], max(gains)) if ways else None

    def nearest_that_fools(self, herd: Sequence[Words]) -> Words | None:
        order = sorted(herd, key=lambda words: -self.ask(words))
        return next((words for words in order if self.ask.fooled(words)), None)


def picked(weights: Sequence[float], luck: float) -> int:
    """The number that a draw from 0 to 1 picks."""
    reach, goal = 0.0, luck * math.fsum(weights)
    for number, weight in enumerate(weights):
        reach += weight
        if reach > goal:
            return number
    return len(weights) - 1


@pytest.mark.parametrize("lean", [0.5, 2.0, 3.5])
def test_iga_cuts_texts_in_two_and_counts_how_often_a_word_was_replaced(lean: float) -> None:
    later = 0
    for number, (outcome, ask) in enumerate(
        attacked("iga:generations=5,population=6,times=2", SENTENCES, lean=lean)
    ):
        told = Reading(ask, neighbours(ask.text, 50, 0.75), number)
        words, generations = iga(told, population=6, generations=5, times=2)
        assert_same(outcome, ask, words)
        later += generations > 1
    assert later or lean < 2


def iga(told: Reading, *, population: int, generations: int, times: int) -> tuple[Words, int]:
    ask, spots, draw = told.ask, told.spots, told.draw
    if not spots:
        return told.text, 0

    def improved(words: Words, at: int, may: bool = True) -> Words:
        before = ask(words)
        best = told.best_at(words, at) if may else None
        return best[0] if best and best[1] > before else words

    herd = [improved(told.text, at) for at in spots[:population]]
    left = [[times - (words[at] != told.text[at]) for at in spots] for words in herd]
    for generation in range(generations):
        gains = [ask(words) for words in herd]
        best = largest(gains)
        if fooling := told.nearest_that_fools(herd):
            return fooling, generation + 1
        if generation == generations - 1 or len(herd) < 2:
            break
        powers = [math.exp((np.float32(gain) - np.float32(max(gains))) / 0.3) for gain in gains]
        mothers, fathers = ([picked(powers, luck) for luck in row] for row in draw.random((2, len(herd) - 1)))
        cuts = draw.integers(len(spots), size=len(mothers)).tolist()
        children, budgets = list[Words](), list[list[int]]()
        for mother, father, cut in zip(mothers, fathers, cuts, strict=True):
            child = list(told.text)
            for place, at in enumerate(spots):
                child[at] = herd[mother if place < cut else father][at]
            children.append(child)
            budgets.append([left[mother if place < cut else father][place] for place in range(len(spots))])
        places = [picked(row, luck) for row, luck in zip(budgets, draw.random(len(children)), strict=True)]
        young = [
            improved(child, spots[place], row[place] > 0)
            for child, place, row in zip(children, places, budgets, strict=True)
        ]
        for child, new, row in zip(children, young, budgets, strict=True):
            for place, at in enumerate(spots):
                row[place] -= child[at] != new[at]
        herd, left = [herd[best], *young], [left[best], *budgets]
    return herd[best], generation + 1


@pytest.mark.parametrize("lean", [0.5, 2.0, 3.5])
def test_pso_moves_towards_the_best_and_replaces_a_word(lean: float) -> None:
    moved = 0
    for number, (outcome, ask) in enumerate(attacked("pso:generations=4,population=5", SENTENCES, lean=lean)):
        words, generations = pso(Reading(ask, synonyms(ask.text), number), population=5, generations=4)
        assert_same(outcome, ask, words)
        moved += generations > 0
    assert moved or lean < 2


def pso(told: Reading, *, population: int, generations: int) -> tuple[Words, int]:
    ask, spots, draw = told.ask, told.spots, told.draw
    everyone = range(population)
    if not spots:
        return told.text, 0

    def mutated(herd: list[Words], chosen: Sequence[Any]) -> list[Words]:
        found, lucks = list(herd), draw.random(population).tolist()
        for row in everyone:
            if not chosen[row]:
                continue
            before = ask(herd[row])
            free = [at for at in spots if herd[row][at] == told.text[at]]
            best = {at: told.best_at(herd[row], at) for at in free}
            helps = [max(0.0, gained[1] - before) if (gained := best.get(at)) else 0.0 for at in spots]
            if not any(helps):
                helps = [float(at in free) for at in spots]
            if free and (new := best[spots[picked(helps, lucks[row])]]):
                found[row] = new[0]
        for words in found:
            ask(words)
        return found

    def kept(own: list[Words], herd: list[Words]) -> list[Words]:
        return [new if ask(new) > ask(old) else old for old, new in zip(own, herd, strict=True)]

    herd = mutated([told.text] * population, [True] * population)
    speeds = [[speed] * len(spots) for speed in draw.uniform(-3, 3, size=population).tolist()]
    own, fooling = herd, told.nearest_that_fools(herd)
    for generation in range(generations):
        if fooling:
            return fooling, generation
        ready = 0.2 + 0.6 * (1 - generation / generations)
        best = own[largest(map(ask, own))]
        for row in everyone:
            for place, at in enumerate(spots):
                pull = sum(-3 if herd[row][at] == goal[at] else 3 for goal in (own[row], best))
                speeds[row][place] = ready * speeds[row][place] + (1 - ready) * pull
        herd = [list(words) for words in herd]
        for goals, readiness in ((own, ready), ([best] * population, 1.0 - ready)):
            goes, lucks = draw.random((population, 1)), draw.random((population, len(spots)))
            for row in everyone:
                for place, at in enumerate(spots):
                    if goes[row][0] < readiness and lucks[row][place] < 1 / (1 + math.exp(-speeds[row][place])):
                        herd[row][at] = goals[row][at]
        for words in herd:
            ask(words)
        fooling = told.nearest_that_fools(herd)
        if not fooling:
            own = kept(own, herd)
            shares = [sum(words[at] != told.text[at] for at in spots) / len(told.text) for words in herd]
            herd = mutated(
                herd, [luck < 1 - 2 * s for luck, s in zip(draw.random(population), shares, strict=True)]
            )
            fooling = told.nearest_that_fools(herd)
            own = kept(own, herd)
    return fooling or own[largest(map(ask, own))], generations
