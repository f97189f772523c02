"""Constrain: what a replacement must keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Ask, Floats
from unfool.lexicon import tagger, universal
from unfool.lexicon.encoders import SentenceEncoder
from unfool.lexicon.language_model import language_model
from unfool.text import Text, Variants

TagSet = Literal["universal", "penn"]
SHORT_TEXT = 15
"""TextFooler's window: texts of fewer words are compared by a rule of their own."""
_CONTEXT = 4
_WHOLE_CONTEXT = 10
_LEAST_TRIED = 64
_NOUN_OR_VERB = {"NOUN", "VERB"}
_UNSURE = 0.01
"""Twice the largest error in bfloat16 of 10,000 cosines between windows of reviews, as they are and changed
(`bench/margins.py`)."""


async def worth_asking(ask: Ask, swaps: Variants) -> Variants:
    """Leave out the changes that break one of the user's constraints by themselves; without constraints, none.

    Where the query budget does not cover what is left, the first that exceed it are enough: who asks about them
    learns so.
    """
    if not ask.constraints:
        return swaps
    if ask.budget.queries is None:
        return swaps.take(await ask.permitted(swaps))
    kept, some = list[int](), max(_LEAST_TRIED, ask.budget.queries - ask.queries)
    for start in range(0, len(swaps), some):
        part = swaps.part(start, start + some)
        kept += [start + number for number in await ask.permitted(part)]
        if ask.exceeds_budget(swaps.take(kept)):
            break
    return swaps.take(kept)


def same_tag_in_context(
    text: Text, position: int, tag: str, words: Sequence[str], tag_set: TagSet = "universal"
) -> list[bool]:
    """Whether each word, put at the position, keeps the part of speech that its Penn tag names.

    Words are tagged with four words to either side, or in the whole field if it has ten words or fewer.

    Args:
        text: The text.
        position: Where the words are put.
        tag: The Penn tag of the word that stands there.
        words: The words.
        tag_set: ``universal``: the same universal tag, and nouns and verbs may swap. ``penn``: the same Penn tag.
    """
    field = text.field_of(position)
    start, stop = field.start, field.stop
    if stop - start > _WHOLE_CONTEXT:
        start, stop = max(start, position - _CONTEXT), min(stop, position + _CONTEXT + 1)
    before, after = text.words[start:position], text.words[position + 1 : stop]
    tagged = tagger("textblob")([(*before, word, *after) for word in words])
    found = [tags[position - start] for tags in tagged]
    if tag_set == "penn":
        return [other == tag for other in found]
    kind = universal(tag)
    return [universal(other) == kind or {universal(other), kind} <= _NOUN_OR_VERB for other in found]


def angular(cosine: Floats) -> Floats:
    """Return TextFooler's similarity, 1 − arccos(cosine): 1 for equal directions, −0.57 for orthogonal ones."""
    return np.asarray(1.0 - np.arccos(np.clip(cosine, -1.0, 1.0)), dtype=np.float32)


async def similarities(
    ask: Ask,
    encoder: SentenceEncoder,
    text: Text,
    position: int,
    words: Sequence[str],
    before: Text,
    least: float | None = None,
) -> Floats:
    """Return how similar the text with each word at the position is to another, by cosines of windows there.

    ``least`` is what decides about them, as `cosines` has it.
    """
    here = text_window(before, position, SHORT_TEXT)
    pairs = [(here, text_window(text.replace(position, word), position, SHORT_TEXT)) for word in words]
    return (await cosines(ask, encoder, pairs, least)).astype(np.float32)


async def cosines(
    ask: Ask, encoder: SentenceEncoder, pairs: Sequence[tuple[str, str]], least: float | None
) -> NDArray[np.float64]:
    """Return how similar the strings of each pair are.

    Where the search is approximate, only those near ``least``, which decides, are asked at full precision; all are
    if it is None.
    """
    if least is None or not ask.approximate or encoder.quick is encoder:
        return await _cosines(ask, encoder, pairs)
    found = await _cosines(ask, encoder.quick, pairs)
    unsure = np.flatnonzero(np.abs(found - least) <= _UNSURE).tolist()
    found[unsure] = await _cosines(ask, encoder, [pairs[number] for number in unsure])
    return found


async def _cosines(ask: Ask, encoder: SentenceEncoder, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
    if not pairs:
        return np.empty(0)
    rows = {string: row for row, string in enumerate(dict.fromkeys(string for pair in pairs for string in pair))}
    vectors: Floats = await ask.use(encoder, list(rows))
    firsts, seconds = (vectors[[rows[pair[side]] for pair in pairs]] for side in (0, 1))
    near: NDArray[np.float64] = np.round((firsts.astype(np.float64) * seconds).sum(axis=1), 5)
    return near


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


def words_before(text: Text, position: int, count: int) -> tuple[str, ...]:
    """Return up to so many words that stand before a position in its field, marks left out."""
    return text.words[max(text.field_of(position).start, position - count) : position]


async def likeliest(
    ask: Ask, groups: NDArray[np.int64], contexts: Sequence[Sequence[str]], words: Sequence[str], count: int
) -> NDArray[np.intp]:
    """Return the numbers of the words that are likeliest in their group, so many of each, in their order.

    Args:
        ask: The sample's line to the engine, which asks the model about all of them at once.
        groups: The group of each word, in rising order.
        contexts: What stands before each word; the same for all words of a group.
        words: The candidates.
        count: How many are kept of each group; equals go to the first.
    """
    # The context is the same within a group, so the whole string's surprise ranks as its last word's does.
    strings = [" ".join([*context, word]) for context, word in zip(contexts, words, strict=True)]
    model = language_model()
    totals = (model.quick if ask.approximate else model).totals
    surprise = np.array(await ask.use(totals, strings), dtype=np.float64)
    order = np.lexsort((surprise, groups))
    place = np.arange(len(order)) - np.searchsorted(groups, groups)
    return np.sort(order[place < count])
