"""Encodings: the words as a filter does not know them, one way or the best of many."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import IN_WORDS, LATIN, LOOK_ALIKES, attack
from unfool.attacks.parts.climb import climb
from unfool.attacks.parts.encodings import ENCODINGS, READABLE, Hidden, Readable
from unfool.attacks.parts.rank import answers_without, ranked
from unfool.attacks.parts.search import first_that_fools
from unfool.engine import Ask
from unfool.text import Sample, Text, Variants

_LETTERS = {
    **dict.fromkeys(("full-width", "leet", "tags", "rot13"), LATIN),
    **dict.fromkeys(("spaced", "joiners", "zero-width"), IN_WORDS),
    "homoglyphs": LOOK_ALIKES,
}


@attack(letters=_LETTERS)
async def encodings(
    sample: Sample,
    ask: Ask,
    *,
    kind: Literal[Readable, Hidden, "readable", "all"] = "readable",
    where: Literal["words", "text"] = "words",
) -> Text:
    """Write words another way: full-width, in leet, with invisible characters between, and the like.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        kind: One way, or those that a person still reads at a glance (``readable``), or ``all`` of them.
        where: ``words``: those that matter most, one by one, each in the way that brings the goal nearest, until
            the victim is fooled. ``text``: every word, in one way after the other; the first that fools.
    """
    text = sample.text
    ways = {"readable": READABLE, "all": tuple(ENCODINGS)}.get(kind, (kind,))
    if where == "text":
        texts = [
            text.replace_several(text.editable, [ENCODINGS[way](text.words[at]) for at in text.editable])
            for way in ways
        ]
        return await first_that_fools(
            ask, Variants.of_texts([other for other in texts if other.words != text.words])
        )
    offers = {}
    for at in text.editable:
        written = dict.fromkeys(ENCODINGS[way](text.words[at]) for way in ways)
        offers[at] = [word for word in written if word != text.words[at]]
    spots = [at for at in text.editable if offers[at]]
    gains = ask.goal.progress(await answers_without(ask, text, spots), sample.label)
    return (await climb(ask, text, offers, [spots[number] for number in ranked(gains)])).text
