"""CLARE (Li et al., 2021): replace, insert and merge by a masked language model, whatever does most."""

from __future__ import annotations

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.masked import Filler, Near, best_edit, content_words, start
from unfool.engine import Ask
from unfool.lexicon.masked_model import STAND_IN
from unfool.text import Sample, Text


@attack(language="English")
async def clare(
    sample: Sample,
    ask: Ask,
    *,
    candidates: int = 50,
    chance: float = 5e-4,
    similarity: float = 0.7,
    steps: int | None = None,
    encoder: str = "minilm",
    model: str = STAND_IN,
) -> Text:
    """Make, step by step, the edit that brings the goal nearest: a word replaced, put in, or made of two.

    No word is edited twice, nor merged with one that was edited.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        candidates: How many of the likeliest tokens are looked at.
        chance: The least probability that the masked language model gives a token.
        similarity: The least cosine between the sentence vectors of the 15 words around an edit, before and after;
            texts under 15 words are not compared. With -1, none is.
        steps: The most edits; ``none`` sets no limit.
        encoder: The sentence encoder: ``minilm`` or ``universal``.
        model: The masked language model: a folder, a hub id, or ``minilm``, a stand-in trained on first use.
    """
    refuse_below("clare", 1, candidates=candidates, steps=1 if steps is None else steps)
    text = sample.text
    filler, near = Filler(ask, model, candidates, chance), Near(ask, similarity, encoder)
    fresh, left = content_words(text), len(text) if steps is None else steps
    if not fresh:
        return text
    now, reached = start(text), float((await ask.progress(text))[0])
    untouched = set(text.editable)
    while left and fresh:
        pairs = [at for at in fresh if at + 1 in untouched and now.where[at + 1] == now.where[at] + 1]
        pairs = [at for at in pairs if text.field_of(at) == text.field_of(at + 1)]
        edits = [
            *await filler.replacements(now, fresh),
            *await filler.insertions(now, fresh, before=False),
            *await filler.mergers(now, pairs),
        ]
        kept = await best_edit(ask, edits, reached, near.holds)
        if kept is None:
            break
        merged = len(kept.edited.text) < len(now.text)
        untouched -= {kept.edited.at, kept.edited.at + 1} if merged else {kept.edited.at}
        fresh = [at for at in fresh if at in untouched]
        now, reached, left = kept.edited, kept.progress, left - 1
        if kept.fooled:
            break
    return now.text
