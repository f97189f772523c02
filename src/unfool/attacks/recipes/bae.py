"""BAE (Garg and Ramakrishnan, 2020): a masked language model fills in important words, or places beside them."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.constrain import same_tag_in_context
from unfool.attacks.parts.masked import Edited, Filler, Near, best_edit, content_words, start
from unfool.attacks.parts.propose import tag_text
from unfool.attacks.parts.rank import answers_without, ranked
from unfool.engine import Ask
from unfool.lexicon.masked_model import STAND_IN
from unfool.text import Sample, Text


@attack(language="English")
async def bae(
    sample: Sample,
    ask: Ask,
    *,
    change: Literal["replace", "insert", "both"] = "replace",
    candidates: int = 50,
    similarity: float = 0.936,
    encoder: str = "minilm",
    model: str = STAND_IN,
) -> Text:
    """Mask important words, or a place beside them, and put there what a masked language model says.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        change: ``replace`` a word by another of its part of speech; ``insert`` one before or behind it; ``both``,
            one after the other.
        candidates: How many of the likeliest tokens are looked at.
        similarity: The least cosine between the sentence vectors of the 15 words around an edit, before and after;
            texts under 15 words are not compared. With -1, none is.
        encoder: The sentence encoder: ``minilm`` or ``universal``.
        model: The masked language model: a folder, a hub id, or ``minilm``, a stand-in trained on first use.
    """
    refuse_below("bae", 1, candidates=candidates)
    text, spots = sample.text, content_words(sample.text)
    if not spots:
        return text
    filler, near = Filler(ask, model, candidates), Near(ask, similarity, encoder)
    tags = tag_text(text)
    reached = float((await ask.progress(text))[0])
    without = ask.goal.progress(await answers_without(ask, text, spots, "delete"), sample.label)
    now = start(text)
    for at in (spots[number] for number in ranked(without)):
        for kind in ("replace", "insert") if change == "both" else (change,):
            if kind == "replace":
                edits = _same_kind(now.text, tags[at], await filler.replacements(now, [at]))
            else:
                edits = await filler.insertions(now, [at])
            kept = await best_edit(ask, edits, reached, near.holds)
            if kept is not None:
                now, reached = kept.edited, kept.progress
                if kept.fooled:
                    return now.text
    return now.text


def _same_kind(text: Text, tag: str, edits: list[Edited]) -> list[Edited]:
    """Return the replacements that are of a part of speech."""
    if not edits:
        return []
    words = [edit.text.words[edit.position] for edit in edits]
    same = same_tag_in_context(text, edits[0].position, tag, words)
    return [edit for edit, fits in zip(edits, same, strict=True) if fits]
