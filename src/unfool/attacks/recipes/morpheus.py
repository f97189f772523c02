"""MORPHEUS (Tan et al., 2020): other inflections, as learners of English use them."""

from __future__ import annotations

from collections.abc import Iterable

from unfool.attacks import attack
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
    forward, near = await _greedy(ask, text, forms, text.editable)
    if not both_ways or await ask.fooled(forward):
        return forward
    backward, nearer = await _greedy(ask, text, forms, reversed(text.editable))
    return backward if nearer > near else forward


async def _greedy(ask: Ask, text: Text, forms: dict[int, list[str]], spots: Iterable[int]) -> tuple[Text, float]:
    reached = float((await ask.progress(text))[0])
    for spot in spots:
        swaps = text.variants([spot] * len(forms.get(spot, ())), forms.get(spot, []))
        swaps = swaps.take(await ask.permitted(swaps))
        if not len(swaps):
            continue
        answers = await ask.predict(swaps)
        gains = ask.goal.progress(answers, ask.sample.label)
        best = int(gains.argmax())
        if gains[best] > reached:
            text, reached = swaps[best], float(gains[best])
            if await ask.holds(text, answers[best]):
                break
    return text, reached


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
