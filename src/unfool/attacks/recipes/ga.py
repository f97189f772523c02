"""GA (Alzantot et al., 2018): a population of texts, bred towards fooling."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.breeding import Breeding
from unfool.attacks.parts.propose import neighbour_words, synonym_swaps
from unfool.attacks.parts.space import Space
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text

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
    breeding = Breeding(ask, space, weights, temperature, fitting, context)
    return await breeding.search(population, generations)


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
