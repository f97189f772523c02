"""Faster genetic attack (Jia et al., 2019): the genetic attack in a space that is fixed beforehand."""

from __future__ import annotations

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.breeding import Breeding
from unfool.attacks.parts.offers import Offers, neighbours
from unfool.attacks.parts.space import Space
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.lexicon.language_model import language_model
from unfool.text import Sample, Text

_COSINE = 0.75
"""Vectors of length one are closer than 0.5, squared, where their cosine is above this."""
_RADIUS = 6


@attack(language="English")
async def faster_genetic(
    sample: Sample,
    ask: Ask,
    *,
    population: int = 60,
    generations: int = 40,
    temperature: float = 0.3,
    nearest: int = 8,
    surprise: float | None = 5.0,
) -> Text:
    """Breed texts of those neighbours that a language model accepts in the original, told once and for all.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        population: Texts in a generation.
        generations: Generations, the first among them.
        temperature: How much less often worse texts breed; the lower, the rarer.
        nearest: Neighbours of a word by counter-fitted vectors, closer than 0.5 squared; stop words have none.
        surprise: How much less likely, in nats, a neighbour may make the words around it, up to six to either side
            (SmolLM2, which needs ``unfool[perplexity]``); ``none`` asks no model.
    """
    refuse_below("faster-genetic", 2, population=population)
    refuse_below("faster-genetic", 1, generations=generations, nearest=nearest)
    if not temperature > 0:
        raise UserError(f"the attack 'faster-genetic' cannot take temperature={temperature}; it takes more than 0")
    offers = neighbours(sample.text, nearest, _COSINE)
    if surprise is not None:
        offers = await _accepted(ask, sample.text, offers, surprise)
    space = Space(sample.text, offers)
    return await Breeding(ask, space, space.counts.astype(np.float64), temperature).search(population, generations)


async def _accepted(ask: Ask, text: Text, offers: Offers, surprise: float) -> Offers:
    """Leave out words that make what stands around them less likely by more than so much."""
    pairs = [(at, word) for at, words in offers.items() for word in words]
    windows = [_window(text, at) for at in offers]
    windows += [_window(text.replace(at, word), at) for at, word in pairs]
    totals: list[float] = await ask.use(language_model().totals, windows)
    before = dict(zip(offers, totals, strict=False))
    kept: dict[int, list[str]] = {at: [] for at in offers}
    for (at, word), total in zip(pairs, totals[len(offers) :], strict=True):
        if total - before[at] <= surprise:
            kept[at].append(word)
    return kept


def _window(text: Text, position: int) -> str:
    """Return a word with those around it as they stand, fewer where its field starts or ends."""
    field = text.field_of(position)
    number, at = text.fields.index(field), position - field.start
    near = text.spans[number][max(0, at - _RADIUS) : at + _RADIUS + 1]
    return text.strings[number][near[0][0] : near[-1][1]]
