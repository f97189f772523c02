"""Find the word to attack by looking into the net."""

from __future__ import annotations

from typing import Literal

import numpy as np

from unfool.attacks.parts._rank import ranked
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.text import Text
from unfool.victims import Attention, Zeroed

AttentionRow = Literal["cls", "column_mean"]
_DECIMALS = 5


async def spot_by_zeroing(ask: Ask, text: Text) -> int | None:
    """Return the editable word without whose vectors the goal is nearest; None where there is no word."""
    if not text.editable:
        return None
    answers: Floats = await ask.use(ask.service("zeroed"), Zeroed(text, text.editable))
    return text.editable[ranked(ask.goal.progress(answers, ask.sample.label))[0]]


def word_attention(
    found: Attention, words: int, *, layer: int, head: int | None, row: AttentionRow | Literal["last"]
) -> dict[int, float]:
    """Return the attention that each word gets, the sum over its tokens, by position; words cut off are left out.

    Args:
        found: What the victim tells of a text.
        words: How many words the text has.
        layer: Which layer's; negative numbers count from the last.
        head: Which head's; the mean over heads where None.
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


async def attention_of_words(
    ask: Ask, text: Text, *, layer: int, head: int | None, row: AttentionRow
) -> dict[int, float]:
    """Return the attention that each editable word gets; see `word_attention`."""
    found: Attention = await ask.use(ask.service("attention"), text)
    by_position = word_attention(found, len(text), layer=layer, head=head, row=row)
    return {position: by_position[position] for position in text.editable if position in by_position}


async def spot_by_attention(
    ask: Ask, text: Text, pick: Literal["lowest", "highest"], *, layer: int, head: int | None, row: AttentionRow
) -> int | None:
    """Return the editable word that gets least or most attention, the first of equals; None where there is none."""
    attention = await attention_of_words(ask, text, layer=layer, head=head, row=row)
    sign = 1 if pick == "lowest" else -1
    return min(attention, key=lambda position: (sign * attention[position], position), default=None)
