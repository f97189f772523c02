"""LEAP (Xiao et al., 2023): a swarm whose speeds and inertia come of Lévy flights, and that mutates greedily."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.flights import Numbers, flights, flights_between
from unfool.attacks.parts.herd import Herding
from unfool.attacks.parts.offers import offers_of
from unfool.attacks.parts.space import Genes, Space
from unfool.attacks.parts.swarm import FIRST, LAST, MOST_SPEED, Flight, fly
from unfool.engine import Ask, Floats
from unfool.lexicon import stop_words
from unfool.text import Sample, Text

_LEAST_OF_BETTER = 0.5


@attack(language="English", wordnets=True)
async def leap(
    sample: Sample,
    ask: Ask,
    *,
    substitutes: Literal["synonyms", "neighbours"] = "synonyms",
    population: int = 60,
    generations: int = 20,
) -> Text:
    """Move texts as `pso` does, but about one word at a time and as Lévy flights say; then make the best change.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        substitutes: ``synonyms``: WordNet's. ``neighbours``: by counter-fitted vectors. Stop words stay.
        population: Texts in the swarm.
        generations: How often they move.
    """
    refuse_below("leap", 1, population=population, generations=generations)
    text = sample.text
    kept = () if ask.language else stop_words("textfooler")
    offers = offers_of(text, substitutes, ask.language)
    space = Space(text, {at: words for at, words in offers.items() if text.words[at].lower() not in kept})
    return await fly(Herding(ask, space), _FLIGHT, population=population, generations=generations)


def _first_speeds(draw: np.random.Generator, population: int) -> Numbers:
    """Draw speeds evenly or by flights, by whether a flight is longer than an even draw."""
    even = draw.uniform(-MOST_SPEED, MOST_SPEED, size=(2, population))
    far = flights(draw, population)
    return np.where(even[0] < far, even[1], flights_between(draw, -MOST_SPEED, MOST_SPEED, population))


def _inertia(draw: np.random.Generator, progress: Floats, late: float) -> Numbers:
    """Return the inertia of each text: by how near a worse one is, by a flight for a better one."""
    mean, least = float(progress.mean()), float(progress.min())
    by_rank = LAST + (FIRST - LAST) * (progress - least) / max(mean - least, 1e-12)
    drawn = flights_between(draw, _LEAST_OF_BETTER, FIRST, len(progress))
    return np.where(progress < mean, by_rank, drawn)[:, None]


def _chances(speeds: Numbers) -> Numbers:
    """Share out one turn among the words of a text."""
    powers = np.exp(speeds - speeds.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _best(gains: Floats, lucks: Numbers) -> Genes:
    return np.asarray(gains.argmax(axis=1))


_FLIGHT = Flight(first_speeds=_first_speeds, inertia=_inertia, chances=_chances, drawn=_best, from_own_best=True)
