"""Search: a swarm of texts that move word by word towards the best that each, and all together, have met."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts.flights import Numbers
from unfool.attacks.parts.herd import Herd, Herding
from unfool.attacks.parts.space import Genes
from unfool.engine import Floats
from unfool.text import Text

MOST_SPEED = 3.0
FIRST, LAST = 0.8, 0.2
"""The inertia, and the chance to move towards a text's own best, fall from the first to the last."""


class Flight(NamedTuple):
    """How a swarm moves: what tells one kind from another."""

    first_speeds: Callable[[np.random.Generator, int], Numbers]
    """The speed of all words of each text at first."""
    inertia: Callable[[np.random.Generator, Floats, float], Numbers | float]
    """How much of its speed a text keeps: by how near the texts are, and the share of generations that are over."""
    chances: Callable[[Numbers], Numbers]
    """The chance of each word to become the best text's, by the speeds."""
    drawn: Callable[[Floats, Numbers], Genes]
    """Which word each text gets replaced: by what replacements gain, and a number from 0 to 1 for each text."""
    from_own_best: bool
    """Whether a text gets a word replaced the rarer, the farther it is from its own best, not from the original."""


async def fly(herding: Herding, flight: Flight, *, population: int, generations: int) -> Text:
    """Move a swarm until a text fools; else return the nearest to the goal.

    Args:
        herding: The space, and the line to the victim.
        flight: How it moves.
        population: Texts in the swarm.
        generations: How often they move.
    """
    text, draw, size = herding.space.text, herding.ask.random, len(herding.space)
    if not size or herding.ask.room[0] < 1:
        return text
    everyone = np.ones(population, dtype=bool)
    herd = await _mutated(herding, np.zeros((population, size), dtype=np.int64), everyone, by_gain)
    speeds = np.repeat(flight.first_speeds(draw, population)[:, None], size, axis=1)
    own, progress = herd.genes, herding.progress(herd.answers)
    winner = await herding.fooling(herd)
    for generation in range(generations):
        if winner is not None:
            return winner
        late = generation / generations
        inertia, ready = flight.inertia(draw, herding.progress(herd.answers), late), falling(late)
        best = own[int(progress.argmax())]
        pull = np.where(herd.genes == own, -MOST_SPEED, MOST_SPEED)
        pull += np.where(herd.genes == best, -MOST_SPEED, MOST_SPEED)
        speeds = inertia * speeds + (1 - inertia) * pull
        chances, genes = flight.chances(speeds), herd.genes
        for target, readiness in ((own, ready), (best[None], FIRST + LAST - ready)):
            goes = draw.random((population, 1)) < readiness
            moved = np.where(goes & (draw.random(genes.shape) < chances), target, genes)
            genes = await herding.allowed(moved, genes)
        herd = await herding.looked_at(genes)
        winner = await herding.fooling(herd)
        if winner is None:
            own, progress = _better(own, progress, herd, herding.progress(herd.answers))
            away = np.where(herd.genes == own, 0, 1) if flight.from_own_best else herd.genes
            share = herding.space.words_changed(away) / max(1, len(text.editable))
            herd = await _mutated(herding, herd.genes, draw.random(population) < 1 - 2 * share, flight.drawn)
            winner = await herding.fooling(herd)
            own, progress = _better(own, progress, herd, herding.progress(herd.answers))
    return herding.space.at(own[int(progress.argmax())]) if winner is None else winner


def falling(late: float) -> float:
    """Return what falls from the first to the last with the generations."""
    return LAST + (FIRST - LAST) * (1 - late)


def by_gain(gains: Floats, lucks: Numbers) -> Genes:
    """Draw a word of each text by how much its best replacement gains; where nothing helps, any is as good."""
    chances = np.maximum(gains, 0).astype(np.float64)
    chances = np.where(chances.sum(axis=1, keepdims=True) > 0, chances, np.isfinite(gains))
    reach = chances.cumsum(axis=1)
    return np.asarray(np.count_nonzero(reach <= (lucks * reach[:, -1])[:, None], axis=1))


def _better(own: Genes, progress: Floats, herd: Herd, now: Floats) -> tuple[Genes, Floats]:
    """Return the best text each one has met, and how near it is."""
    better = now > progress
    return np.where(better[:, None], herd.genes, own), np.where(better, now, progress)


async def _mutated(
    herding: Herding, genes: Genes, chosen: NDArray[np.bool_], drawn: Callable[[Floats, Numbers], Genes]
) -> Herd:
    """Make in the chosen texts the best replacement of a drawn word."""
    changed = genes.copy()
    lucks = herding.ask.random.random(len(genes))
    rows = np.flatnonzero(chosen)
    if len(rows):
        substitutes, gains = await herding.best_at_every_spot(genes[rows])
        there = np.isfinite(gains).any(axis=1)
        rows, substitutes, gains = rows[there], substitutes[there], gains[there]
        spots = drawn(gains, lucks[rows])
        changed[rows, spots] = substitutes[np.arange(len(rows)), spots]
        changed = await herding.allowed(changed, genes)
    return await herding.looked_at(changed)
