"""The shortest attack: from left to right, keep the synonym that helps most."""

from __future__ import annotations

from unfool.attacks import attack
from unfool.attacks.parts.constrain import worth_asking
from unfool.attacks.parts.propose import synonym_swaps
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack(language="English", wordnets=True)
async def greedy_synonym(sample: Sample, ask: Ask) -> Text:
    """From left to right, replace each word by the WordNet synonym that brings the goal nearest."""
    text, reached = sample.text, (await ask.progress(sample.text))[0]
    swaps = synonym_swaps(text, language=ask.language)
    for position in sorted(set(swaps.positions)):
        words = [word for spot, word in zip(swaps.positions, swaps.words, strict=True) if spot == position]
        here = await worth_asking(ask, text.variants([position] * len(words), words))
        if not len(here):
            continue
        answers = await ask.predict(here)
        gains = ask.goal.progress(answers, sample.label)
        best = ranked(gains)[0]
        if gains[best] <= reached or not await ask.permitted(here[best]):
            continue
        text, reached = here[best], gains[best]
        if await ask.holds(text, answers[best]):
            break
    return text
