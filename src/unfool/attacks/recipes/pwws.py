"""PWWS (Ren et al., 2019): probability-weighted word saliency."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unfool.attacks import attack
from unfool.attacks.parts.constrain import worth_asking
from unfool.attacks.parts.names import with_names
from unfool.attacks.parts.propose import synonym_swaps
from unfool.attacks.parts.rank import answers_without, best_per_group, ranked
from unfool.attacks.parts.search import apply_in_order
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack(language="English", wordnets=True)
async def pwws(
    sample: Sample,
    ask: Ask,
    *,
    variant: Literal["paper", "released", "adjusted"] = "paper",
    same_pos: bool = True,
    entities: str | None = None,
) -> Text:
    """Replace words by WordNet synonyms in order of saliency times the drop their best synonym gives.

    The saliency of a word is how much the victim's answer moves when the word is unknown. The paper normalises it
    by a softmax over all words; its denominator is the same for each, so only words that have a synonym are asked.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        variant: ``paper``: single-word synonyms of the word's part of speech, applied in order until the victim is
            fooled. ``released``: the authors' code filters synonyms further (other base form, same fine tag when
            tagged alone, two-word phrases cut to their first word, also for conjunctions) and breaks ties by the
            last synonym; its misaligned indices, an accident, are not repeated. ``adjusted``: a change that does
            not help on its own (a drop of zero or less) is left out.
        same_pos: Whether synonyms must have the part of speech of the word; only ``released`` ignores this.
        entities: A data set, such as ``ag_news``: the synonyms of a name are joined by the name of its kind that
            training texts of other labels have most; in ``released`` it stands alone. ``none``: names are words
            like others.
    """
    text = sample.text
    released = variant == "released"
    swaps = synonym_swaps(text, same_pos=same_pos, released=released, language=ask.language)
    if entities is not None:
        swaps = with_names(ask, swaps, text, entities, alone=released)
    swaps = await worth_asking(ask, swaps)
    if not len(swaps):
        return text
    base = (await ask.progress(text))[0]
    gains = await ask.progress(swaps) - base
    best = best_per_group(np.asarray(swaps.positions), gains, last_wins=released)
    spots = [swaps.positions[number] for number in best]
    saliency = ask.goal.progress(await answers_without(ask, text, spots), sample.label) - base
    weights = np.exp(saliency - saliency.max()) * gains[best]
    order = [number for number in ranked(weights) if variant != "adjusted" or gains[best[number]] > 0]
    return await apply_in_order(ask, text, [(spots[n], swaps.words[best[n]]) for n in order])
