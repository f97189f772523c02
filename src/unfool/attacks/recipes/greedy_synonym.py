"""The shortest attack: from left to right, keep the synonym that helps most."""

from __future__ import annotations

from unfool.attacks import attack
from unfool.attacks.parts import ranked, synonym_swaps
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack()
async def greedy_synonym(sample: Sample, ask: Ask) -> Text:
    """From left to right, replace each word by the WordNet synonym that brings the goal nearest."""
    text, reached = sample.text, (await ask.progress(sample.text))[0]
    swaps = synonym_swaps(text)
    for position in sorted(set(swaps.positions)):
        words = [word for spot, word in zip(swaps.positions, swaps.words, strict=True) if spot == position]
        answers = await ask.predict(text.variants([position] * len(words), words))
        gains = ask.goal.progress(answers, sample.label)
        best = ranked(gains)[0]
        changed = text.replace(position, words[best])
        if gains[best] <= reached or not ask.allows(changed):
            continue
        text, reached = changed, gains[best]
        if await ask.holds(text, answers[best]):
            break
    return text
