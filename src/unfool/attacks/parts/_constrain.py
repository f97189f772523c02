"""Constrain: what a replacement must keep."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unfool.engine import Ask, Floats
from unfool.lexicon import tagger, universal
from unfool.lexicon.encoders import SentenceEncoder
from unfool.text import Text, Variants

SHORT_TEXT = 15
"""TextFooler's window: texts of fewer words are compared by a rule of their own."""
_CONTEXT = 4
_WHOLE_CONTEXT = 10
_NOUN_OR_VERB = {"NOUN", "VERB"}


async def worth_asking(ask: Ask, swaps: Variants) -> Variants:
    """Leave out the changes that break one of the user's constraints by themselves; without constraints, none."""
    return swaps.take(await ask.permitted(swaps)) if ask.constraints else swaps


def same_tag_in_context(text: Text, position: int, tag: str, words: Sequence[str]) -> list[bool]:
    """Whether each word, put at the position, has the universal tag given; nouns and verbs may swap.

    Words are tagged four words to either side, or in the whole field where it has ten words or fewer.
    """
    field = text.field_of(position)
    start, stop = field.start, field.stop
    if stop - start > _WHOLE_CONTEXT:
        start, stop = max(start, position - _CONTEXT), min(stop, position + _CONTEXT + 1)
    before, after = text.words[start:position], text.words[position + 1 : stop]
    tagged = tagger("textblob")([(*before, word, *after) for word in words])
    found = [universal(tags[position - start]) for tags in tagged]
    return [other == tag or {other, tag} <= _NOUN_OR_VERB for other in found]


def angular(cosine: Floats) -> Floats:
    """Return TextFooler's similarity, 1 − arccos(cosine): 1 for equal directions, −0.57 for orthogonal ones."""
    return np.asarray(1.0 - np.arccos(np.clip(cosine, -1.0, 1.0)), dtype=np.float32)


async def similarities(
    ask: Ask, encoder: SentenceEncoder, text: Text, position: int, words: Sequence[str], window: int = SHORT_TEXT
) -> Floats:
    """Return how similar the text stays around the position with each word there: cosines of the windows."""
    strings = [text_window(text.replace(position, word), position, window) for word in words]
    here = text_window(text, position, window)
    vectors: Floats = await ask.use(encoder, [here, *strings])
    return np.asarray(np.round(vectors[1:] @ vectors[0], 5), dtype=np.float32)


def text_window(text: Text, position: int, width: int) -> str:
    """Return ``width`` words around a position as they stand in the text, moved inwards at the edges."""
    field = text.field_of(position)
    half = (width - 1) // 2
    start = min(max(field.start, position - half), max(field.start, field.stop - width))
    stop = min(field.stop, start + width)
    number = text.fields.index(field)
    gaps = text.gaps[start + number + 1 : stop + number]
    pieces = [text.words[start]]
    for gap, word in zip(gaps, text.words[start + 1 : stop], strict=False):
        pieces += (gap, word)
    return "".join(pieces)
