"""Search: many texts of one space at a time, and what the victim says of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts.rank import best_per_group, ranked
from unfool.attacks.parts.space import Genes, Memory, Space
from unfool.engine import Ask, Floats
from unfool.text import UNCHANGED, Text, Variants

Narrow = Callable[[Genes, Genes, Genes, Genes], Awaitable[tuple[Genes, Genes]]]
"""Leaves some candidates out: given genes, a spot of each row, and rows and numbers of substitutes."""


class Herd(NamedTuple):
    """Texts of a space as rows of numbers, and the victim's answers about them."""

    genes: Genes
    answers: Floats


@dataclass(frozen=True)
class Herding:
    """Asks about whole herds, and never twice about a text."""

    ask: Ask
    space: Space
    memory: Memory = field(default_factory=Memory, kw_only=True)

    async def looked_at(self, genes: Genes) -> Herd:
        """Return the texts with what the victim says of them."""
        nothing = np.empty(0, dtype=np.int64)
        return Herd(genes, await self.answers(genes, nothing, nothing, nothing))

    async def improved(self, genes: Genes, spots: Genes, narrow: Narrow | None = None) -> Herd:
        """Make in each text the replacement at one spot that helps most, if any does; all in one question."""
        rows, choices = self._candidates(genes, spots)
        if narrow is not None:
            rows, choices = await narrow(genes, spots, rows, choices)
        answers = await self.answers(genes, rows, spots[rows], choices)
        progress, count = self.progress(answers), len(genes)
        gains = progress[count:] - progress[rows]
        gains[np.isnan(gains)] = -np.inf
        best = best_per_group(rows, gains)
        best = best[gains[best] > 0]
        better, found = genes.copy(), answers[:count]
        better[rows[best], spots[rows[best]]] = choices[best]
        found[rows[best]] = answers[count + best]
        return Herd(better, found)

    async def best_at_every_spot(self, genes: Genes) -> tuple[Genes, Floats]:
        """Return for each text and spot the substitute that helps most, and how much: minus infinity for none.

        A word that is replaced already gets no other.
        """
        count, size = genes.shape
        found = [self._candidates(genes, np.full(count, spot, dtype=np.int64)) for spot in range(size)]
        spots = np.repeat(np.arange(size), [len(rows) for rows, _ in found])
        rows = np.concatenate([rows for rows, _ in found])
        choices = np.concatenate([choices for _, choices in found])
        new = genes[rows, spots] == 0
        rows, spots, choices = rows[new], spots[new], choices[new]
        progress = self.progress(await self.answers(genes, rows, spots, choices))
        gains = progress[count:] - progress[rows]
        gains[np.isnan(gains)] = -np.inf
        best = best_per_group(rows * size + spots, gains)
        chosen = np.zeros((count, size), dtype=np.int64)
        most: Floats = np.full((count, size), -np.inf, dtype=np.float32)
        chosen[rows[best], spots[best]], most[rows[best], spots[best]] = choices[best], gains[best]
        return chosen, most

    async def fooling(self, herd: Herd) -> Text | None:
        """Return the text of the herd that fools, the nearest to the goal of several."""
        reached = self.ask.goal.reached(herd.answers, self.ask.sample.label)
        for number in ranked(self.progress(herd.answers)):
            if reached[number] and await self.ask.holds(self.space.at(herd.genes[number]), herd.answers[number]):
                return self.space.at(herd.genes[number])
        return None

    async def allowed(self, genes: Genes, instead: Genes) -> Genes:
        """Return texts; in place of those that budget or constraints forbid, others."""
        fits = self._within_budget(genes)
        if self.ask.constraints:
            texts = [self.space.at(row) for row in genes]
            fits &= np.isin(np.arange(len(texts)), await self.ask.permitted(texts))
        return np.where(fits[:, None], genes, instead)

    async def answers(self, genes: Genes, rows: Genes, spots: Genes, choices: Genes) -> Floats:
        """Return what the victim says of the texts, then of their candidates; NaN where a constraint forbids one.

        Generations are much alike: about nine of ten texts are known from before or stand there twice. These are
        told by their keys and never made.
        """
        keys, count = self.space.keys(genes), len(genes)
        moved = self.space.marks(spots, choices) - self.space.marks(spots, genes[rows, spots])
        slots, new = self.memory.enter(np.concatenate([keys, keys[rows] + moved]))
        if len(new):
            own, other = new[new < count], new[new >= count] - count
            parents = np.concatenate([own, rows[other]])
            _, needed, which = np.unique(slots[parents], return_index=True, return_inverse=True)
            asked = Variants(
                [self.space.at(row) for row in genes[parents[needed]]],
                which.tolist(),
                [UNCHANGED] * len(own) + self.space.positions[spots[other]].tolist(),
                [""] * len(own) + self.space.words_at(spots[other], choices[other]),
            )
            self.memory.keep(await self._asked(asked, np.flatnonzero(~genes[own].any(axis=1))))
        return self.memory.answers(slots)

    def progress(self, answers: Floats) -> Floats:
        """Return how near to the goal each answer is."""
        return self.ask.goal.progress(answers, self.ask.sample.label)

    async def _asked(self, asked: Variants, untouched: Genes) -> Floats:
        if not self.ask.constraints:
            return await self.ask.predict(asked)
        # The text itself may break a rule that a replacement keeps: it is where all begin.
        allowed = np.union1d(np.array(await self.ask.permitted(asked), dtype=np.intp), untouched).tolist()
        answers = np.full((len(asked), len(self.ask.labels)), np.nan, dtype=np.float32)
        answers[allowed] = await self.ask.predict(asked.take(allowed))
        return answers

    def _candidates(self, genes: Genes, spots: Genes) -> tuple[Genes, Genes]:
        """Return what is tried in each text, as rows and numbers of substitutes; what the budget forbids is not."""
        rows, choices = self.space.choices(genes, spots)
        if np.isinf(self.ask.room).all():
            return rows, choices
        changed = genes[rows]
        changed[np.arange(len(rows)), spots[rows]] = choices
        fits = self._within_budget(changed)
        return rows[fits], choices[fits]

    def _within_budget(self, genes: Genes) -> NDArray[np.bool_]:
        fits: NDArray[np.bool_] = self.space.words_changed(genes) <= self.ask.room[0]
        if not np.isinf(self.ask.room[1]):
            fits &= self.space.characters_changed(genes) <= self.ask.room[1]
        return fits
