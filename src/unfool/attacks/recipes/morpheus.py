"""MORPHEUS (Tan et al., 2020): other inflections, as learners of English use them."""

from __future__ import annotations

from unfool.attacks import attack
from unfool.attacks.parts.climb import climb
from unfool.attacks.parts.propose import in_case_of, tag_text
from unfool.engine import Ask
from unfool.errors import not_installed
from unfool.text import Sample, Text

_PARTS_OF_SPEECH = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ"}
"""Open classes by the first letters of their Penn tags."""


@attack(language="English")
async def morpheus(sample: Sample, ask: Ask, *, both_ways: bool = True) -> Text:
    """Word by word, put the inflection that brings the goal nearest, and keep it if it helps.

    The released code goes from the front and, if that does not reach the goal, from the back, and takes the better.
    Nouns, verbs and adjectives keep their part of speech.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        both_ways: Whether to go from the back, too.
    """
    text = sample.text
    forms = _inflections(text)
    forward = await climb(ask, text, forms, text.editable)
    if not both_ways or await ask.fooled(forward.text):
        return forward.text
    backward = await climb(ask, text, forms, reversed(text.editable))
    return backward.text if backward.progress > forward.progress else forward.text


def _inflections(text: Text) -> dict[int, list[str]]:
    """Return the other inflections of every open word in its part of speech, by position."""
    try:
        from lemminflect import getAllInflections, getAllLemmas
    except ImportError:
        raise not_installed("the attack morpheus needs lemminflect", "inflections") from None
    found: dict[int, list[str]] = {}
    tags = tag_text(text)
    for spot, tag in ((spot, tags[spot]) for spot in text.editable):
        word, pos = text.words[spot], _PARTS_OF_SPEECH.get(tag[:2])
        others = {
            in_case_of(word, other)
            for lemma in (getAllLemmas(word, upos=pos).get(pos, ()) if pos else ())
            for several in getAllInflections(lemma, upos=pos).values()
            for other in several
        }
        if others := others - {word}:
            found[spot] = sorted(others)
    return found
