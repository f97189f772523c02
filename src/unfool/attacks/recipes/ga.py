"""GA (Alzantot et al., 2018): a population of texts, bred towards fooling."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.constrain import likeliest, words_before
from unfool.attacks.parts.propose import neighbour_words, synonym_swaps
from unfool.attacks.parts.rank import best_per_group, ranked
from unfool.attacks.parts.space import Genes, Memory, Space
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.text import UNCHANGED, Sample, Text, Variants

_LOOKED_AT = 50
_COSINE = 0.75
"""Vectors of length one are closer than 0.5, squared, where their cosine is above this."""
_COMMON = frozenset(
    {
        *("the", "and", "a", "of", "to", "is", "in", "it", "i", "this", "that", "was", "as"),
        *("for", "with", "movie", "but", "film", "on", "not", "you", "are", "his", "have", "be", "he"),
    }
)
"""IMDB's commonest words, which the released code never replaces."""


@attack(language="English")
async def ga(
    sample: Sample,
    ask: Ask,
    *,
    substitutes: Literal["wordnet", "counter-fitted"] = "wordnet",
    population: int = 60,
    generations: int = 30,
    temperature: float = 0.3,
    nearest: int = 8,
    fitting: int | None = None,
    context: int = 1,
) -> Text:
    """Breed texts: cross two good ones word by word, then make the best replacement of one word drawn at random.

    Each generation keeps the best text as it is. Words that have more substitutes are drawn more often, and those
    already replaced only when all are. Defaults are those the authors ran on IMDB (their class's own defaults, 20
    texts and 100 generations, are not); for inference they ran ``population=128, generations=12, temperature=1,
    nearest=5``. On IMDB they had a language model keep 4 of a word's 8 candidates (``fitting=4``); on inference,
    and in the transferability paper, there is none, which is the default.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        substitutes: ``wordnet``: PWWS's synonyms, as in the transferability paper. ``counter-fitted``: the authors'
            own, neighbours of the original word at a squared distance under 0.5, the commonest words left alone.
        population: Texts in a generation.
        generations: Generations, the first among them.
        temperature: How much less often worse texts breed; the lower, the rarer.
        nearest: Neighbours tried for a word; WordNet's synonyms are all tried.
        fitting: Of those, how many are asked about: the likeliest to follow the words before, as the text stands,
            by a language model (SmolLM2). ``none`` asks about all, and needs no model.
        context: How many words before the model reads. The paper speaks of the context around a word; the released
            code shows its model one word.
    """
    refuse_below("ga", 2, population=population)
    refuse_below(
        "ga",
        1,
        generations=generations,
        nearest=nearest,
        fitting=1 if fitting is None else fitting,
        context=context,
    )
    if not temperature > 0:
        raise UserError(f"the attack 'ga' cannot take temperature={temperature}; it takes a number above 0")
    space, weights = _space(sample.text, substitutes, nearest)
    breeding = _Breeding(ask, space, weights, temperature, *ask.room, fitting=fitting, context=context)
    if not len(space) or breeding.most_words < 1:
        return sample.text
    herd = await breeding.perturbed(np.zeros((population, len(space)), dtype=np.int64))
    for generation in range(generations):
        if generation:
            herd = await breeding.bred(herd)
        order = ranked(ask.goal.progress(herd.answers, sample.label))
        fooling = ask.goal.reached(herd.answers, sample.label)
        for number in order:
            if fooling[number] and await ask.holds(space.at(herd.genes[number]), herd.answers[number]):
                return space.at(herd.genes[number])
    return space.at(herd.genes[order[0]])


class Herd(NamedTuple):
    """A population, and the victim's answers about it."""

    genes: Genes
    answers: Floats


@dataclass(frozen=True)
class _Breeding:
    """How one generation comes from another."""

    ask: Ask
    space: Space
    weights: NDArray[np.float64]
    temperature: float
    most_words: float
    most_characters: float
    fitting: int | None = None
    context: int = 1
    memory: Memory = field(default_factory=Memory)

    async def bred(self, herd: Herd) -> Herd:
        """Keep the best text and let children of the others, crossed and perturbed, take their places."""
        progress = self._progress(herd.answers)
        best = int(progress.argmax())
        powers = np.exp((progress.astype(np.float64) - progress.max()) / self.temperature)
        reach, draw = (powers / powers.sum()).cumsum(), self.ask.random
        # What `choice` draws, too, but its checks of the chances take three times as long.
        mothers, fathers = (reach / reach[-1]).searchsorted(draw.random((2, len(powers) - 1)), side="right")
        mixed = draw.random((len(mothers), len(self.space))) < 0.5
        children = np.where(mixed, herd.genes[mothers], herd.genes[fathers])
        fits = self._within_budget(children)
        if self.ask.constraints:
            texts = [self.space.at(child) for child in children]
            fits &= np.isin(np.arange(len(texts)), await self.ask.permitted(texts))
        young = await self.perturbed(np.where(fits[:, None], children, herd.genes[mothers]))
        return Herd(np.vstack([herd.genes[best], young.genes]), np.vstack([herd.answers[best], young.answers]))

    async def perturbed(self, genes: Genes) -> Herd:
        """Make in each text the replacement at one drawn word that helps most, if any does; all in one question."""
        spots = self._drawn_spots(genes)
        rows, choices = self._candidates(genes, spots)
        if self.fitting is not None:
            rows, choices = await self._fitting(genes, spots, rows, choices, self.fitting)
        answers = await self._answers(genes, rows, spots[rows], choices)
        progress, count = self._progress(answers), len(genes)
        gains = progress[count:] - progress[rows]
        gains[np.isnan(gains)] = -np.inf
        best = best_per_group(rows, gains)
        best = best[gains[best] > 0]
        better, found = genes.copy(), answers[:count]
        better[rows[best], spots[rows[best]]] = choices[best]
        found[rows[best]] = answers[count + best]
        return Herd(better, found)

    async def _fitting(
        self, genes: Genes, spots: Genes, rows: Genes, choices: Genes, count: int
    ) -> tuple[Genes, Genes]:
        """Keep of each text's candidates those that the language model finds likeliest there."""
        places = self.space.positions[spots].tolist()
        texts = [self.space.at(row) for row in genes]
        before = [words_before(text, place, self.context) for text, place in zip(texts, places, strict=True)]
        words = self.space.words_at(spots[rows], choices)
        kept = await likeliest(self.ask, rows, [before[row] for row in rows.tolist()], words, count)
        return rows[kept], choices[kept]

    async def _answers(self, genes: Genes, rows: Genes, spots: Genes, choices: Genes) -> Floats:
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

    async def _asked(self, asked: Variants, untouched: Genes) -> Floats:
        if not self.ask.constraints:
            return await self.ask.predict(asked)
        # The text itself may break a rule that a replacement keeps: it is where all begin.
        allowed = np.union1d(np.array(await self.ask.permitted(asked), dtype=np.intp), untouched).tolist()
        answers = np.full((len(asked), len(self.ask.labels)), np.nan, dtype=np.float32)
        answers[allowed] = await self.ask.predict(asked.take(allowed))
        return answers

    def _drawn_spots(self, genes: Genes) -> Genes:
        """Draw a word to replace in each text, a new one where there is any and the edit budget has room for it."""
        changed = genes > 0
        full = changed.all(axis=1) | (self.space.words_changed(genes) + 1 > self.most_words)
        reach = np.where(changed == full[:, None], self.weights, 0).cumsum(axis=1)
        drawn = self.ask.random.random(len(genes)) * reach[:, -1]
        return np.asarray(np.count_nonzero(reach <= drawn[:, None], axis=1))

    def _candidates(self, genes: Genes, spots: Genes) -> tuple[Genes, Genes]:
        """Return what is tried in each text, as rows and numbers of substitutes; what the budget forbids is not."""
        rows, choices = self.space.choices(genes, spots)
        if np.isinf(self.most_characters):
            return rows, choices
        changed = genes[rows]
        changed[np.arange(len(rows)), spots[rows]] = choices
        fits = self._within_budget(changed)
        return rows[fits], choices[fits]

    def _within_budget(self, genes: Genes) -> NDArray[np.bool_]:
        fits: NDArray[np.bool_] = self.space.words_changed(genes) <= self.most_words
        if not np.isinf(self.most_characters):
            fits &= self.space.characters_changed(genes) <= self.most_characters
        return fits

    def _progress(self, answers: Floats) -> Floats:
        return self.ask.goal.progress(answers, self.ask.sample.label)


def _space(
    text: Text, substitutes: Literal["wordnet", "counter-fitted"], nearest: int
) -> tuple[Space, NDArray[np.float64]]:
    """Return what may be replaced, and how often each word is drawn: as it has neighbours or synonyms."""
    found: dict[int, list[str]] = {}
    if substitutes == "wordnet":
        swaps = synonym_swaps(text)
        for position, word in zip(swaps.positions, swaps.words, strict=True):
            found.setdefault(position, []).append(word)
        space = Space(text, found)
        return space, space.counts.astype(np.float64)
    for position in text.editable:
        if text.words[position].lower() not in _COMMON:
            found[position] = list(neighbour_words(text.words[position], _LOOKED_AT, _COSINE))
    space = Space(text, {position: words[:nearest] for position, words in found.items()})
    return space, np.array([len(found[position]) for position in space.positions.tolist()], dtype=np.float64)
