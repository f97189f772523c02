"""Best-first search over any space: always on from the nearest text there is, however few words it changes."""

from __future__ import annotations

from heapq import heappop, heappush

from unfool.attacks import IN_WORDS, LOOK_ALIKES, attack, refuse_below
from unfool.attacks.parts.constrain import worth_asking
from unfool.attacks.parts.offers import Space, offers_of, once_a_word
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask
from unfool.text import Sample, Text


@attack(language="English", wordnets=True, letters={"slips": IN_WORDS, "look-alikes": LOOK_ALIKES})
async def best_first(sample: Sample, ask: Ask, *, space: Space = "synonyms", expansions: int = 20) -> Text:
    """Ask about every replacement of a word of the nearest text so far, until the victim is fooled.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        space: What may stand in a word's place: ``synonyms``, ``neighbours``, ``slips`` or ``look-alikes``, as for
            `beam`.
        expansions: Of how many texts, one after the other, all replacements are asked about.
    """
    refuse_below("best-first", 1, expansions=expansions)
    propose = once_a_word(sample.text, offers_of(sample.text, space, ask.language))
    waiting: list[tuple[float, int, Text]] = [(0.0, 0, sample.text)]
    seen, nearest, most = {sample.text.words}, sample.text, -1.0
    for _ in range(expansions):
        if not waiting:
            break
        swaps = await worth_asking(ask, propose(heappop(waiting)[2]))
        swaps = swaps.take(await ask.permitted(swaps))
        answers = await ask.predict(swaps)
        gains = ask.goal.progress(answers, sample.label)
        for number in ranked(gains):
            text = swaps[number]
            if await ask.holds(text, answers[number]):
                return text
            if text.words not in seen:
                seen.add(text.words)
                heappush(waiting, (-float(gains[number]), len(seen), text))
        if len(gains) and gains.max() > most:
            nearest, most = swaps[int(gains.argmax())], float(gains.max())
    return nearest
