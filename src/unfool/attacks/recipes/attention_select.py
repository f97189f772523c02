"""ASMIN and ASMAX (Hsieh et al., 2019): the word with least or most attention, and any word there that fools."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import Attack, attack
from unfool.attacks.parts.rank import AttentionRow, spot_by_attention
from unfool.attacks.parts.vocabulary import fooling_word
from unfool.engine import Ask
from unfool.text import Sample, Text

_WORDS = {
    "random": "random words until one fools",
    "distance": "the fooling word that moves the text's vector least",
}


def _attention_attack(
    name: str, pick: Literal["lowest", "highest"], order: Literal["random", "distance"]
) -> Attack:
    async def recipe(
        sample: Sample,
        ask: Ask,
        *,
        layer: int = 0,
        head: int | None = None,
        row: AttentionRow = "cls",
        candidates: int | None = None,
        marks: bool = True,
    ) -> Text:
        """Replace one word, chosen by attention.

        A word's attention is the sum over its tokens. The paper does not say whose attention it takes; in its
        second figure the words' scores sum to less than one, which fits the first token's and the mean over all.

        Args:
            sample: The text and its label.
            ask: The line to the victim.
            layer: Whose attention; -1 is the last.
            head: One head, or ``none`` for the mean over heads.
            row: ``cls``: what the first token attends to; ``column_mean``: the mean over all tokens.
            candidates: Words tried at most; ``none`` for the whole vocabulary.
            marks: Whether a word may be replaced by a punctuation mark.
        """
        text = sample.text
        spot = await spot_by_attention(ask, text, pick, layer=layer, head=head, row=row)
        if spot is None:
            return text
        return await fooling_word(ask, text, spot, order=order, candidates=candidates, marks=marks)

    first_line = f"Replace the word that gets the {pick} attention by {_WORDS[order]}."
    recipe.__doc__ = first_line + (recipe.__doc__ or "").partition(".")[2]
    recipe.__name__ = name
    return attack(needs=("attention",) if order == "random" else ("attention", "summaries"))(recipe)


asmin_gr = _attention_attack("asmin_gr", "lowest", "random")
asmax_gr = _attention_attack("asmax_gr", "highest", "random")
asmin_ec = _attention_attack("asmin_ec", "lowest", "distance")
asmax_ec = _attention_attack("asmax_ec", "highest", "distance")
