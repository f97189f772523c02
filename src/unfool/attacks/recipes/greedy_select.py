"""GS-GR and GS-EC (Hsieh et al., 2019): the weak spot of a text, and any word there that fools."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import attack
from unfool.attacks.parts.rank import spot_by_zeroing
from unfool.attacks.parts.vocabulary import fooling_word
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack(needs=("zeroed",))
async def gs_gr(
    sample: Sample,
    ask: Ask,
    *,
    order: Literal["random", "best"] = "random",
    candidates: int | None = None,
    marks: bool = True,
) -> Text:
    """Replace the word whose zeroed vectors hurt most by random words of the vocabulary until one fools.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        order: ``random``, as in the paper; ``best``: ask about all words and take the one that lowers the right
            label most, as in the code of Yang et al. (2018), which the paper builds on.
        candidates: Words tried at most; ``none`` for the whole vocabulary.
        marks: Whether a word may be replaced by a punctuation mark, as in the paper's examples.
    """
    spot = await spot_by_zeroing(ask, sample.text)
    if spot is None:
        return sample.text
    return await fooling_word(ask, sample.text, spot, order=order, candidates=candidates, marks=marks)


@attack(needs=("zeroed", "summaries"))
async def gs_ec(sample: Sample, ask: Ask, *, candidates: int | None = None, marks: bool = True) -> Text:
    """Replace the word whose zeroed vectors hurt most by the word that fools and moves the text's vector least.

    The vector is what the net decides by (of BERT the pooled first token, of the LSTM the sum that attention
    weighs), the distance the sum of absolute differences. The paper does not say which vector it takes.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        candidates: Words tried at most, drawn as `gs_gr` draws them; ``none`` for the whole vocabulary.
        marks: Whether a word may be replaced by a punctuation mark.
    """
    spot = await spot_by_zeroing(ask, sample.text)
    if spot is None:
        return sample.text
    return await fooling_word(ask, sample.text, spot, order="distance", candidates=candidates, marks=marks)
