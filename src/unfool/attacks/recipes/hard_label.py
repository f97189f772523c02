"""Hard label (after Maheshwary et al., 2021; Ye et al., 2022): for victims that tell nothing but their answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.offers import Offers, offers_of
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, Floats
from unfool.lexicon import counter_fitted
from unfool.text import Sample, Text


@attack(language="English", wordnets=True)
async def hard_label(
    sample: Sample,
    ask: Ask,
    *,
    substitutes: Literal["synonyms", "neighbours"] = "neighbours",
    starts: int = 100,
    rounds: int = 3,
) -> Text:
    """Begin with random words that fool; take back what need not be, then put nearer words where that still fools.

    Only whether a text fools is looked at, never a probability.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        substitutes: ``neighbours``: by counter-fitted vectors, stop words left alone; ``synonyms``: WordNet's.
        starts: How many texts are drawn, of ever more random words, until one fools.
        rounds: How often all replaced words are gone through for nearer ones.
    """
    refuse_below("hard-label", 1, starts=starts)
    refuse_below("hard-label", 0, rounds=rounds)
    offers = {at: words for at, words in offers_of(sample.text, substitutes, ask.language).items() if words}
    text = await _start(ask, sample.text, offers, starts)
    if text is None:
        return sample.text
    text = await _taken_back(ask, text)
    for _ in range(rounds):
        before = text
        for at in _replaced(sample.text, text):
            text = await _nearer(ask, text, at, offers[at])
        text = await _taken_back(ask, text)
        if text.words == before.words:
            break
    return text


async def _start(ask: Ask, text: Text, offers: Offers, starts: int) -> Text | None:
    """Return a text of random words that fools, or None: with each draw some more words are replaced."""
    spots, draw = list(offers), ask.random
    most = min(len(spots), int(min(ask.room[0], len(spots))))
    for number in range(starts if most else 0):
        count = max(1, -(-most * (number + 1) // starts))
        chosen = [spots[place] for place in draw.permutation(len(spots))[:count]]
        words = [offers[at][int(draw.integers(len(offers[at])))] for at in chosen]
        changed = text.replace_several(chosen, words)
        if await ask.permitted(changed) and await ask.fooled(changed):
            return changed
    return None


async def _taken_back(ask: Ask, text: Text) -> Text:
    """Put the original's words back, those first whose stand-ins are farthest from them, where that still fools."""
    original = ask.sample.text
    places = _replaced(original, text)
    near = _nearness([original.words[at] for at in places], [text.words[at] for at in places])
    for number in ranked(-near):
        restored = text.replace(places[number], original.words[places[number]])
        if restored.words != original.words and await ask.permitted(restored) and await ask.fooled(restored):
            text = restored
    return text


async def _nearer(ask: Ask, text: Text, at: int, words: Sequence[str]) -> Text:
    """Put in a place the word nearest to the original's that still fools, if that is nearer than what stands."""
    old = ask.sample.text.words[at]
    near = _nearness([old] * (len(words) + 1), [*words, text.words[at]])
    for number in ranked(near[:-1]):
        if near[number] <= near[-1]:
            break
        changed = text.replace(at, words[number])
        if await ask.permitted(changed) and await ask.fooled(changed):
            return changed
    return text


def _replaced(original: Text, text: Text) -> list[int]:
    return [at for at in original.editable if original.words[at] != text.words[at]]


def _nearness(old: Sequence[str], new: Sequence[str]) -> Floats:
    """Return the cosines of words and their stand-ins; of words without vectors, minus one."""
    cosines = (counter_fitted().cosine(a, b) for a, b in zip(old, new, strict=True))
    return np.array([-1.0 if cosine is None else cosine for cosine in cosines], dtype=np.float32)
