"""GS-GR and GS-EC (Hsieh et al., 2019): the weak spot of a text, and any word there that fools."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import attack
from unfool.attacks.parts.rank import spot_by_zeroing
from unfool.attacks.parts.vocabulary import Order, fooling_word
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text


@attack(needs=("zeroed",))
async def gs_gr(
    sample: Sample,
    ask: Ask,
    *,
    order: Literal["random", "best"] = "random",
    candidates: int | None = None,
    marks: bool = True,
    words: int = 1,
) -> Text:
    """Replace the word whose zeroed vectors hurt most by random words of the vocabulary until one fools.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        order: ``random``, as in the paper; ``best``: ask about all words and take the one that lowers the right
            label most, as in the code of Yang et al. (2018), which the paper builds on.
        candidates: Words tried at most; ``none`` for the whole vocabulary.
        marks: Whether a word may be replaced by a punctuation mark, as in the paper's examples.
        words: The most words replaced, one after the other: where none fools, the one that comes nearest stays.
    """
    return await _select_and_replace(ask, words, order=order, candidates=candidates, marks=marks)


@attack(needs=("zeroed", "summaries"))
async def gs_ec(
    sample: Sample, ask: Ask, *, candidates: int | None = None, marks: bool = True, words: int = 1
) -> Text:
    """Replace the word whose zeroed vectors hurt most by the word that fools and moves the text's vector least.

    The vector is what the net decides by (of BERT the pooled first token, of the LSTM the sum that attention
    weighs), the distance the sum of absolute differences. The paper does not say which vector it takes.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        candidates: Words tried at most, drawn as `gs_gr` draws them; ``none`` for the whole vocabulary.
        marks: Whether a word may be replaced by a punctuation mark.
        words: The most words replaced, one after the other; the paper's attack on translators replaces three.
    """
    return await _select_and_replace(ask, words, order="distance", candidates=candidates, marks=marks)


async def _select_and_replace(ask: Ask, words: int, *, order: Order, candidates: int | None, marks: bool) -> Text:
    if words < 1:
        raise UserError(f"words={words} leaves no word to replace; give 1 or more")
    text, left = ask.sample.text, list(ask.sample.text.editable)
    while len(ask.sample.text.editable) - len(left) < words:
        spot = await spot_by_zeroing(ask, text, left)
        if spot is None:
            break
        left.remove(spot)
        changed = await fooling_word(ask, text, spot, order=order, candidates=candidates, marks=marks)
        if changed.words == ask.sample.text.words:
            continue  # nothing may be put there
        text = changed
        if words > 1 and await ask.fooled(text):
            break
    return text
