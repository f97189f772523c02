"""PSO (Zang et al., 2020): a swarm of texts that moves towards the best ones it has met."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.herd import Herd, Herding
from unfool.attacks.parts.offers import offers_of
from unfool.attacks.parts.space import Genes, Space
from unfool.engine import Ask, Floats
from unfool.text import Sample, Text

_MOST_SPEED = 3.0
_FIRST, _LAST = 0.8, 0.2
"""The inertia, and the chance to move towards a text's own best, fall from the first to the last."""


@attack(language="English", wordnets=True)
async def pso(
    sample: Sample,
    ask: Ask,
    *,
    substitutes: Literal["synonyms", "neighbours"] = "synonyms",
    population: int = 60,
    generations: int = 20,
) -> Text:
    """Move texts word by word towards the best that each, and all together, have met; then change one word.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        substitutes: ``synonyms``: WordNet's, in place of the paper's (HowNet). ``neighbours``: by counter-fitted
            vectors, stop words left alone.
        population: Texts in the swarm.
        generations: How often they move.
    """
    refuse_below("pso", 1, population=population, generations=generations)
    text, draw = sample.text, ask.random
    herding = Herding(ask, Space(text, offers_of(text, substitutes, ask.language)))
    size = len(herding.space)
    if not size or ask.room[0] < 1:
        return text
    herd = await _mutated(herding, np.zeros((population, size), dtype=np.int64), np.ones(population, dtype=bool))
    speeds = np.repeat(draw.uniform(-_MOST_SPEED, _MOST_SPEED, size=(population, 1)), size, axis=1)
    own, progress = herd.genes, herding.progress(herd.answers)
    winner = await herding.fooling(herd)
    for generation in range(generations):
        if winner is not None:
            return winner
        late = generation / generations
        inertia = _LAST + (_FIRST - _LAST) * (1 - late)
        best = own[int(progress.argmax())]
        pull = np.where(herd.genes == own, -_MOST_SPEED, _MOST_SPEED)
        pull += np.where(herd.genes == best, -_MOST_SPEED, _MOST_SPEED)
        speeds = inertia * speeds + (1 - inertia) * pull
        chances, genes = 1 / (1 + np.exp(-speeds)), herd.genes
        for target, readiness in ((own, inertia), (best[None], _FIRST + _LAST - inertia)):
            ready = draw.random((population, 1)) < readiness
            moved = np.where(ready & (draw.random(genes.shape) < chances), target, genes)
            genes = await herding.allowed(moved, genes)
        herd = await herding.looked_at(genes)
        winner = await herding.fooling(herd)
        if winner is None:
            own, progress = _better(own, progress, herd, herding.progress(herd.answers))
            share = herding.space.words_changed(herd.genes) / max(1, len(text.editable))
            herd = await _mutated(herding, herd.genes, draw.random(population) < 1 - 2 * share)
            winner = await herding.fooling(herd)
            own, progress = _better(own, progress, herd, herding.progress(herd.answers))
    return herding.space.at(own[int(progress.argmax())]) if winner is None else winner


def _better(own: Genes, progress: Floats, herd: Herd, now: Floats) -> tuple[Genes, Floats]:
    """Return the best text each one has met, and how near it is."""
    better = now > progress
    return np.where(better[:, None], herd.genes, own), np.where(better, now, progress)


async def _mutated(herding: Herding, genes: Genes, chosen: np.ndarray) -> Herd:
    """Make in the chosen texts the best replacement of a word drawn by how much that helps."""
    changed = genes.copy()
    lucks = herding.ask.random.random(len(genes))
    rows = np.flatnonzero(chosen)
    if len(rows):
        substitutes, gains = await herding.best_at_every_spot(genes[rows])
        chances = np.maximum(gains, 0).astype(np.float64)
        # Where nothing helps, any replacement is as good as another.
        chances = np.where(chances.sum(axis=1, keepdims=True) > 0, chances, np.isfinite(gains))
        reach = chances.cumsum(axis=1)
        spots = np.count_nonzero(reach <= (lucks[rows] * reach[:, -1])[:, None], axis=1)
        there = reach[:, -1] > 0
        changed[rows[there], spots[there]] = substitutes[there, spots[there]]
        changed = await herding.allowed(changed, genes)
    return await herding.looked_at(changed)
