"""IGA (Wang et al., 2019): a genetic attack that may replace a word again, and cuts texts in two."""

from __future__ import annotations

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.breeding import drawn_parents
from unfool.attacks.parts.herd import Herd, Herding, Narrow
from unfool.attacks.parts.offers import neighbours
from unfool.attacks.parts.space import Genes, Space
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text

_COSINE = 0.75
"""Vectors of length one are closer than 0.5, squared, where their cosine is above this."""


@attack(language="English")
async def iga(
    sample: Sample,
    ask: Ask,
    *,
    population: int = 60,
    generations: int = 20,
    times: int = 5,
    nearest: int = 50,
    temperature: float = 0.3,
) -> Text:
    """Begin with the best neighbour of every word; join fronts of texts to backs of others, and change a word.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        population: The most texts in a generation; at first there is one for each word.
        generations: Generations, the first among them.
        times: How often a word may be replaced.
        nearest: Neighbours by counter-fitted vectors tried for a word, at a squared distance under 0.5.
        temperature: How much less often worse texts breed; the lower, the rarer.
    """
    refuse_below("iga", 2, population=population)
    refuse_below("iga", 1, generations=generations, times=times, nearest=nearest)
    if not temperature > 0:
        raise UserError(f"the attack 'iga' cannot take temperature={temperature}; it takes a number above 0")
    text, draw = sample.text, ask.random
    herding = Herding(ask, Space(text, neighbours(text, nearest, _COSINE)))
    size = len(herding.space)
    if not size or ask.room[0] < 1:
        return text
    first = np.arange(min(size, population))
    herd = await herding.improved(np.zeros((len(first), size), dtype=np.int64), first)
    left = times - (herd.genes > 0)
    for generation in range(generations):
        winner = await herding.fooling(herd)
        progress = herding.progress(herd.answers)
        best = int(progress.argmax())
        if winner is not None:
            return winner
        if generation == generations - 1 or len(herd.genes) < 2:
            break
        mothers, fathers = drawn_parents(draw, progress, temperature)
        front = np.arange(size) < draw.integers(size, size=len(mothers))[:, None]
        children = np.where(front, herd.genes[mothers], herd.genes[fathers])
        budgets = np.where(front, left[mothers], left[fathers])
        kept = await herding.allowed(children, herd.genes[mothers])
        budgets = np.where((kept == children).all(axis=1)[:, None], budgets, left[mothers])
        young = await herding.improved(kept, _drawn(draw, budgets), _where(budgets))
        budgets = budgets - (young.genes != kept)
        herd = Herd(np.vstack([herd.genes[best], young.genes]), np.vstack([herd.answers[best], young.answers]))
        left = np.vstack([left[best], budgets])
    return herding.space.at(herd.genes[best])


def _drawn(draw: np.random.Generator, left: Genes) -> Genes:
    """Draw a word of each text, by how often it may still be replaced."""
    reach = left.cumsum(axis=1)
    lucks = draw.random(len(left)) * reach[:, -1]
    return np.asarray(np.minimum(np.count_nonzero(reach <= lucks[:, None], axis=1), left.shape[1] - 1))


def _where(left: Genes) -> Narrow:
    """Return what leaves out candidates for words that may not be replaced again."""

    async def narrow(genes: Genes, spots: Genes, rows: Genes, choices: Genes) -> tuple[Genes, Genes]:
        may = left[rows, spots[rows]] > 0
        return rows[may], choices[may]

    return narrow
