"""PSO, LEAP and IGA against plain readings: lists of words, one text and one number after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.attacks.readings import Reader, assert_same, attacked, largest

from unfool.attacks.parts.flights import flights, flights_between
from unfool.attacks.parts.offers import Offers, neighbours, synonyms
from unfool.lexicon import stop_words

pytestmark = pytest.mark.usefixtures("lexicons")
SENTENCES = [
    "a good film and a great cast",
    "the dull story of a young actor",
    "this film shows poor people",
    "her first novel never finds hope",
]
LEAST_OF_BETTER = 0.5
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


@pytest.mark.parametrize("name", ["pso", "leap"])
@pytest.mark.parametrize("lean", [0.5, 2.0, 3.5])
def test_a_swarm_moves_towards_the_best_and_replaces_a_word(name: str, lean: float) -> None:
    moved = 0
    for number, (outcome, ask) in enumerate(attacked(f"{name}:generations=4,population=5", SENTENCES, lean=lean)):
        kept = stop_words("textfooler") if name == "leap" else ()
        offers = {at: new for at, new in synonyms(ask.text).items() if ask.text.words[at].lower() not in kept}
        told = Reading(ask, offers, number)
        words, generations = swarm(told, population=5, generations=4, leaps=name == "leap")
        assert_same(outcome, ask, words)
        moved += generations > 0
    assert moved or lean < 2


def swarm(told: Reading, *, population: int, generations: int, leaps: bool) -> tuple[Words, int]:
    """The words PSO ends with, or LEAP, whose speeds are Lévy flights (`test_search_attacks` holds these)."""
    ask, spots, draw = told.ask, told.spots, told.draw
    everyone = range(population)
    if not spots:
        return told.text, 0

    def mutated(herd: list[Words], chosen: Sequence[Any], surest: bool = leaps) -> list[Words]:
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
            most = [gained[1] if (gained := best.get(at)) else -1.0 for at in spots]
            spot = largest(most) if surest else picked(helps, lucks[row])
            if free and (new := best[spots[spot]]):
                found[row] = new[0]
        for words in found:
            ask(words)
        return found

    def kept(own: list[Words], herd: list[Words]) -> list[Words]:
        return [new if ask(new) > ask(old) else old for old, new in zip(own, herd, strict=True)]

    herd = mutated([told.text] * population, [True] * population, surest=False)
    speeds = [[speed] * len(spots) for speed in first_speeds(draw, population, leaps)]
    own, fooling = herd, told.nearest_that_fools(herd)
    for generation in range(generations):
        if fooling:
            return fooling, generation
        ready = 0.2 + 0.6 * (1 - generation / generations)
        inertia = by_rank(draw, [ask(words) for words in herd]) if leaps else [ready] * population
        best = own[largest(map(ask, own))]
        for row in everyone:
            for place, at in enumerate(spots):
                pull = sum(-3 if herd[row][at] == goal[at] else 3 for goal in (own[row], best))
                speeds[row][place] = inertia[row] * speeds[row][place] + (1 - inertia[row]) * pull
        herd = [list(words) for words in herd]
        for goals, readiness in ((own, ready), ([best] * population, 1.0 - ready)):
            goes, lucks = draw.random((population, 1)), draw.random((population, len(spots)))
            for row in everyone:
                shared = sum(math.exp(speed) for speed in speeds[row])
                for place, at in enumerate(spots):
                    speed = speeds[row][place]
                    chance = math.exp(speed) / shared if leaps else 1 / (1 + math.exp(-speed))
                    if goes[row][0] < readiness and lucks[row][place] < chance:
                        herd[row][at] = goals[row][at]
        for words in herd:
            ask(words)
        fooling = told.nearest_that_fools(herd)
        if not fooling:
            own = kept(own, herd)
            starts = own if leaps else [told.text] * population
            shares = [
                sum(words[at] != start[at] for at in spots) / len(told.text)
                for words, start in zip(herd, starts, strict=True)
            ]
            lucks = draw.random(population)
            herd = mutated(herd, [luck < 1 - 2 * share for luck, share in zip(lucks, shares, strict=True)])
            fooling = told.nearest_that_fools(herd)
            own = kept(own, herd)
    return fooling or own[largest(map(ask, own))], generations


def first_speeds(draw: np.random.Generator, population: int, leaps: bool) -> list[float]:
    even = draw.uniform(-3, 3, size=(2, population) if leaps else population).tolist()
    if not leaps:
        return [float(speed) for speed in even]
    far = flights(draw, population).tolist()
    between = flights_between(draw, -3, 3, population).tolist()
    return [even[1][n] if even[0][n] < far[n] else between[n] for n in range(population)]


def by_rank(draw: np.random.Generator, gains: Sequence[float]) -> list[float]:
    """LEAP's inertia: less for the texts that are worse than the mean, a flight for the others."""
    drawn = flights_between(draw, LEAST_OF_BETTER, 0.8, len(gains)).tolist()
    exact = np.array(gains, dtype=np.float32)
    mean, least = float(exact.mean()), float(exact.min())
    return [
        0.2 + 0.6 * (gain - least) / max(mean - least, 1e-12) if gain < mean else flight
        for gain, flight in zip(exact.tolist(), drawn, strict=True)
    ]
