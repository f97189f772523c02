"""Search: a population of texts, bred towards the goal (Alzantot et al., 2018)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts.constrain import likeliest, words_before
from unfool.attacks.parts.herd import Herd, Herding
from unfool.attacks.parts.rank import ranked
from unfool.attacks.parts.space import Genes
from unfool.engine import Floats
from unfool.text import Text


@dataclass(frozen=True)
class Breeding(Herding):
    """How one generation comes from another: two good texts crossed word by word, then one word replaced."""

    weights: NDArray[np.float64]
    """How often each word is drawn."""
    temperature: float
    """How much less often worse texts breed; the lower, the rarer."""
    fitting: int | None = None
    """How many of a word's candidates are asked about, the likeliest to follow the words before; None for all."""
    context: int = 1
    """How many words before the language model reads."""

    async def search(self, population: int, generations: int) -> Text:
        """Breed so many generations, or until a text fools; else return the nearest to the goal."""
        if not len(self.space) or self.ask.room[0] < 1:
            return self.space.text
        herd = await self.perturbed(np.zeros((population, len(self.space)), dtype=np.int64))
        for generation in range(generations):
            if generation:
                herd = await self.bred(herd)
            winner = await self.fooling(herd)
            if winner is not None:
                return winner
        return self.space.at(herd.genes[ranked(self.progress(herd.answers))[0]])

    async def bred(self, herd: Herd) -> Herd:
        """Keep the best text and let children of the others, crossed and perturbed, take their places."""
        progress = self.progress(herd.answers)
        best = int(progress.argmax())
        mothers, fathers = drawn_parents(self.ask.random, progress, self.temperature)
        mixed = self.ask.random.random((len(mothers), len(self.space))) < 0.5
        children = np.where(mixed, herd.genes[mothers], herd.genes[fathers])
        young = await self.perturbed(await self.allowed(children, herd.genes[mothers]))
        return Herd(np.vstack([herd.genes[best], young.genes]), np.vstack([herd.answers[best], young.answers]))

    async def perturbed(self, genes: Genes) -> Herd:
        """Make in each text the replacement at one drawn word that helps most, if any does."""
        narrow = self._fitting if self.fitting is not None else None
        return await self.improved(genes, self._drawn_spots(genes), narrow)

    async def _fitting(self, genes: Genes, spots: Genes, rows: Genes, choices: Genes) -> tuple[Genes, Genes]:
        """Keep of each text's candidates those that the language model finds likeliest there."""
        assert self.fitting is not None
        places = self.space.positions[spots].tolist()
        texts = [self.space.at(row) for row in genes]
        before = [words_before(text, place, self.context) for text, place in zip(texts, places, strict=True)]
        words = self.space.words_at(spots[rows], choices)
        kept = await likeliest(self.ask, rows, [before[row] for row in rows.tolist()], words, self.fitting)
        return rows[kept], choices[kept]

    def _drawn_spots(self, genes: Genes) -> Genes:
        """Draw a word to replace in each text, a new one where there is any and the edit budget has room for it."""
        changed = genes > 0
        full = changed.all(axis=1) | (self.space.words_changed(genes) + 1 > self.ask.room[0])
        reach = np.where(changed == full[:, None], self.weights, 0).cumsum(axis=1)
        drawn = self.ask.random.random(len(genes)) * reach[:, -1]
        return np.asarray(np.count_nonzero(reach <= drawn[:, None], axis=1))


def drawn_parents(draw: np.random.Generator, progress: Floats, temperature: float) -> tuple[Genes, Genes]:
    """Draw the mother and the father of every text but one; texts nearer to the goal oftener."""
    powers = np.exp((progress.astype(np.float64) - progress.max()) / temperature)
    reach = (powers / powers.sum()).cumsum()
    # What `choice` draws, too, but its checks of the chances take three times as long.
    mothers, fathers = (reach / reach[-1]).searchsorted(draw.random((2, len(powers) - 1)), side="right")
    return mothers, fathers
