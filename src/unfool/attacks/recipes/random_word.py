"""RANDOM (Hsieh et al., 2019): the base line every attack must beat."""

from __future__ import annotations

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.vocabulary import vocabulary
from unfool.engine import Ask
from unfool.text import Sample, Text

_NOTE = "mean success over trials"


@attack()
async def random(sample: Sample, ask: Ask, *, trials: int = 1) -> Text:
    """Put a random word of the vocabulary at one random position; of several trials, the first that fools.

    The vocabulary is the victim's own where it has one, else that of the counter-fitted vectors. The paper's
    figure, the mean over trials, is noted beside the outcome; the success rate is the union over them. With one
    trial the two are the same.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        trials: How often to draw. The paper draws 100,000 times in all, 1,000 for each of its 100 texts.
    """
    refuse_below("random", 1, trials=trials)
    text, words = sample.text, vocabulary(ask)
    ask.notes[_NOTE] = 0.0
    if not text.editable:
        return text
    positions, new = [], []
    for _ in range(trials):
        position = text.editable[int(ask.random.integers(len(text.editable)))]
        word = words[int(ask.random.integers(len(words)))]
        while word == text.words[position] and len(words) > 1:
            word = words[int(ask.random.integers(len(words)))]
        positions.append(position)
        new.append(word)
    swaps = text.variants(positions, new)
    swaps = swaps.take(await ask.permitted(swaps))
    answers = await ask.predict(swaps)
    reached = np.flatnonzero(ask.goal.reached(answers, sample.label)).tolist()
    fooling = [number for number in reached if await ask.holds(swaps[number], answers[number])]
    ask.notes[_NOTE] = len(fooling) / trials
    if fooling:
        return swaps[fooling[0]]
    return swaps[0] if len(swaps) else text
