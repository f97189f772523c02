"""Rank: which words matter, told by the victim's answers or by a look into the net; which change does most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Ask, Floats, answered_labels
from unfool.errors import UserError
from unfool.text import DELETED, Text
from unfool.victims import Attention, Zeroed

Without = Literal["unknown", "delete", "oov"]
AttentionRow = Literal["cls", "column_mean"]
_DECIMALS = 5
_TEXTS_AT_ONCE = 256
"""Texts cut anew are made so many at once: all those of a long one would not fit into memory."""


async def answers_without(ask: Ask, text: Text, positions: Sequence[int], without: Without = "unknown") -> Floats:
    """Return the victim's answers about the text without each word: one row a position.

    Args:
        ask: The sample's line to the victim.
        text: The text as it is.
        positions: The words to leave out, one at a time.
        without: Put the victim's unknown word there, the literal ``<oov>``, or take the word out.
    """
    stand_in = {"unknown": ask.unknown, "delete": DELETED, "oov": "<oov>"}[without]
    return await ask.predict(text.variants(positions, stand_in))


def importance(base: Floats, without: Floats, ask: Ask, gold: int) -> Floats:
    """Return TextFooler's importance of each word left out.

    That is the drop of the gold label, and, where the answer changes, the rise of the new one on top.

    Args:
        base: The answer about the text.
        without: The answers about the text without each word.
        ask: The sample's line to the victim.
        gold: The right label.
    """
    if ask.goal.target is not None:
        return ask.goal.progress(without, gold)
    drop = base[gold] - without[:, gold]
    answer = answered_labels(without, gold)
    rise = without[np.arange(len(without)), answer] - base[answer]
    return np.asarray(np.where(answer == gold, drop, drop + rise), dtype=np.float32)


async def progress_at_ends(ask: Ask, text: Text, positions: Sequence[int], end: Literal["head", "tail"]) -> Floats:
    """Return how much farther from the goal each word takes the words before it, or behind it, when it joins them.

    Args:
        ask: The sample's line to the victim.
        text: The text as it is.
        positions: The words.
        end: ``head``: the words before it in its field; ``tail``: those behind it.
    """
    found: list[Floats] = []
    for first in range(0, len(positions), _TEXTS_AT_ONCE):
        stretches = list[Text]()
        for position in positions[first : first + _TEXTS_AT_ONCE]:
            field = text.field_of(position)
            start, stop = (field.start, position + 1) if end == "head" else (position, field.stop)
            without = (start, stop - 1) if end == "head" else (start + 1, stop)
            stretches += (text.stretch(field, *without), text.stretch(field, start, stop))
        found.append(await ask.progress(stretches))
    progress = np.concatenate(found)
    return np.asarray(progress[0::2] - progress[1::2])


def ranked(scores: NDArray[np.floating]) -> list[int]:
    """Return the numbers of the scores, largest first; ties go to the lowest number."""
    order: list[int] = np.argsort(-np.asarray(scores), kind="stable").tolist()
    return order


def best_per_group(groups: NDArray[np.integer], gains: Floats, *, last_wins: bool = False) -> NDArray[np.intp]:
    """Return, for each group in order, the number of its largest gain; ties go to the first, or the last."""
    numbers = np.arange(len(groups))
    order = np.lexsort((-numbers if last_wins else numbers, -gains, groups))
    first = np.ones(len(order), dtype=bool)
    first[1:] = groups[order][1:] != groups[order][:-1]
    return np.asarray(order[first])


async def spot_by_zeroing(ask: Ask, text: Text, among: Sequence[int] | None = None) -> int | None:
    """Return the word without whose vectors the goal is nearest, or None if there is no word.

    Args:
        ask: The sample's line to the victim.
        text: The text as it is.
        among: The words to choose from; None for all that may be changed.
    """
    places = text.editable if among is None else among
    if not places:
        return None
    answers: Floats = await ask.use(ask.service("zeroed"), Zeroed(text, places))
    return places[ranked(ask.goal.progress(answers, ask.sample.label))[0]]


def word_attention(
    found: Attention, words: int, *, layer: int, head: int | None, row: AttentionRow | Literal["last"]
) -> dict[int, float]:
    """Return the attention that each word gets, the sum over its tokens, by position; words cut off are left out.

    Args:
        found: What the victim tells of a text.
        words: How many words the text has.
        layer: Which layer's; negative numbers count from the last.
        head: Which head's; None takes the mean over heads.
        row: Whose attention: the first token's, the last one's, or the mean over all tokens. A net that asks once
            has but one row.
    """
    layers, heads = found.weights.shape[:2]
    if not -layers <= layer < layers:
        raise UserError(f"there is no layer={layer}: the victim attends in {layers}, from 0 (or -1, the last)")
    if head is not None and not -heads <= head < heads:
        raise UserError(f"there is no head={head}: the victim has {heads} a layer, from 0 (or -1, the last)")
    rows = found.weights[layer].mean(axis=0) if head is None else found.weights[layer, head]
    if not rows.size:
        return {}
    scores = rows.mean(axis=0) if row == "column_mean" else rows[-1 if row == "last" else 0]
    sums = np.zeros(words, dtype=np.float64)
    of_a_word = found.words >= 0
    np.add.at(sums, found.words[of_a_word], scores[of_a_word])
    read = np.unique(found.words[of_a_word]).tolist()
    return {position: round(float(sums[position]), _DECIMALS) for position in read}


async def spot_by_attention(
    ask: Ask, text: Text, pick: Literal["lowest", "highest"], *, layer: int, head: int | None, row: AttentionRow
) -> int | None:
    """Return the editable word that gets least or most attention, the first of equals; None if there is none."""
    found: Attention = await ask.use(ask.service("attention"), text)
    attention = word_attention(found, len(text), layer=layer, head=head, row=row)
    read = [position for position in text.editable if position in attention]
    sign = 1 if pick == "lowest" else -1
    return min(read, key=lambda position: sign * attention[position], default=None)
