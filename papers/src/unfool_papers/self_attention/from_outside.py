"""The targeted keyword attack on a translator that opens nothing."""

from __future__ import annotations

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.rank import answers_without, ranked
from unfool.attacks.parts.vocabulary import vocabulary
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack()
async def drawn_words(sample: Sample, ask: Ask, *, words: int = 3, candidates: int = 30) -> Text:
    """Replace the word without which the goal is nearest by the best of some words drawn, then another word.

    After GS-EC of Hsieh et al. (2019), which looks into the translator for both.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        words: The most words replaced.
        candidates: Words drawn for each place.
    """
    refuse_below("drawn-words", 1, words=words, candidates=candidates)
    text, left, known = sample.text, list(sample.text.editable), vocabulary(ask)
    while left and len(sample.text.editable) - len(left) < words:
        without = await answers_without(ask, text, left, "delete")
        spot = left.pop(ranked(ask.goal.progress(without, sample.label))[0])
        drawn = ask.random.permutation(len(known))[:candidates].tolist()
        swaps = text.variants([spot] * len(drawn), [known[number] for number in drawn])
        swaps = swaps.take(await ask.permitted(swaps))
        if not len(swaps):
            continue
        text = swaps[int((await ask.progress(swaps)).argmax())]
        if await ask.fooled(text):
            break
    return text
