"""Search: differential evolution (Storn and Price, 1997), best/1/bin as SciPy has it, a generation at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, Floats
from unfool.text import Text

Genes = NDArray[np.float64]
"""Numbers from 0 up to 1."""
_CROSSED = 0.7
_FEWEST, _FARTHEST = 0.5, 1.0


async def differential_evolution(
    ask: Ask, text_of: Callable[[Genes], Text], genes: int, *, population: int, generations: int
) -> Text:
    """Breed rows of numbers until the text one of them stands for fools; else return the nearest to the goal.

    Args:
        ask: The sample's line to the victim.
        text_of: The text that some genes stand for.
        genes: How many there are.
        population: How many rows live at a time; four at least.
        generations: How often all of them may give way to better ones, after the first.
    """
    draw = ask.random
    herd = draw.permuted(np.tile(np.arange(population), (genes, 1)), axis=1).T + draw.random((population, genes))
    herd /= population  # a row in every stratum of every gene
    progress, fooling = await _look(ask, text_of, herd)
    for _ in range(generations):
        if fooling is not None:
            return fooling
        young = _bred(draw, herd, int(progress.argmax()))
        gains, fooling = await _look(ask, text_of, young)
        better = gains >= progress
        herd[better], progress[better] = young[better], gains[better]
    best = int(progress.argmax())
    nearest = text_of(herd[best]) if np.isfinite(progress[best]) else ask.sample.text
    return nearest if fooling is None else fooling


def _bred(draw: np.random.Generator, herd: Genes, best: int) -> Genes:
    """Return a trial for each row: the best one moved by the difference of two others, crossed with the row."""
    population, genes = herd.shape
    scale = draw.uniform(_FEWEST, _FARTHEST)
    others = np.array(
        [draw.choice(np.delete(np.arange(population), row), 2, replace=False) for row in range(population)]
    )
    moved = herd[best] + scale * (herd[others[:, 0]] - herd[others[:, 1]])
    crossed = draw.random(herd.shape) < _CROSSED
    crossed[np.arange(population), draw.integers(genes, size=population)] = True
    young = np.where(crossed, moved, herd)
    outside = (young < 0) | (young >= 1)
    young[outside] = draw.random(int(outside.sum()))
    return young


async def _look(ask: Ask, text_of: Callable[[Genes], Text], herd: Genes) -> tuple[Floats, Text | None]:
    """Return how near each row is, minus infinity if its text is not permitted, and the nearest that fools."""
    texts = [text_of(row) for row in herd]
    allowed = await ask.permitted(texts)
    answers = await ask.predict([texts[number] for number in allowed])
    progress = np.full(len(texts), -np.inf, dtype=np.float32)
    progress[allowed] = ask.goal.progress(answers, ask.sample.label)
    for number in ranked(progress[allowed]):
        if await ask.holds(texts[allowed[number]], answers[number]):
            return progress, texts[allowed[number]]
    return progress, None
