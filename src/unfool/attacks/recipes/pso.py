"""PSO (Zang et al., 2020): a swarm of texts that moves towards the best ones it has met."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.herd import Herding
from unfool.attacks.parts.offers import offers_of
from unfool.attacks.parts.space import Space
from unfool.attacks.parts.swarm import MOST_SPEED, Flight, by_gain, falling, fly
from unfool.engine import Ask
from unfool.text import Sample, Text

_FLIGHT = Flight(
    first_speeds=lambda draw, population: draw.uniform(-MOST_SPEED, MOST_SPEED, size=population),
    inertia=lambda draw, progress, late: falling(late),
    chances=lambda speeds: 1 / (1 + np.exp(-speeds)),
    drawn=by_gain,
    from_own_best=False,
)


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
    space = Space(sample.text, offers_of(sample.text, substitutes, ask.language))
    return await fly(Herding(ask, space), _FLIGHT, population=population, generations=generations)
