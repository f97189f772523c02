"""LIST (Hsieh et al., 2019, after Alzantot et al., 2018): one synonym, wherever it fools."""

from __future__ import annotations

from unfool.attacks import attack
from unfool.attacks.parts.propose import neighbour_words
from unfool.attacks.parts.search import first_that_fools
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack(language="English")
async def list(sample: Sample, ask: Ask, *, candidates: int = 8, distance: float = 0.5) -> Text:
    """From left to right, put each synonym of one word in its place until one fools; no two words are changed.

    The paper takes its synonyms from Alzantot et al., whose code has the nearest counter-fitted vectors; so do we.
    Their length is one, where a squared distance d is a cosine of 1 − d/2.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        candidates: Nearest neighbours looked at.
        distance: The largest squared Euclidean distance of a synonym.
    """
    text = sample.text
    pairs = [
        (position, word)
        for position in text.editable
        for word in neighbour_words(text.words[position], candidates, 1 - distance / 2)
    ]
    return await first_that_fools(ask, text.variants([spot for spot, _ in pairs], [word for _, word in pairs]))
