"""RANDOM (Hsieh et al., 2019): the base line every attack must beat."""

from __future__ import annotations

from unfool.attacks import attack
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.text import Sample, Text


@attack()
async def random(sample: Sample, ask: Ask, *, trials: int = 1) -> Text:
    """Put a random word of the vocabulary at one random position; of several trials, the first that fools.

    The vocabulary is the victim's own where it has one, else that of the counter-fitted vectors. With one trial the
    success rate is the paper's figure, the mean over trials; with more it is the union over them.
    """
    if trials < 1:
        raise UserError(f"the attack 'random' cannot take trials={trials}; it takes 1 or more")
    text = sample.text
    vocabulary = ask.vocabulary or counter_fitted().words
    if not text.editable:
        return text
    positions, words = [], []
    for _ in range(trials):
        position = text.editable[int(ask.random.integers(len(text.editable)))]
        word = vocabulary[int(ask.random.integers(len(vocabulary)))]
        while word == text.words[position] and len(vocabulary) > 1:
            word = vocabulary[int(ask.random.integers(len(vocabulary)))]
        positions.append(position)
        words.append(word)
    swaps = text.variants(positions, words)
    for number, answer in enumerate(await ask.predict(swaps)):
        if ask.allows(swaps[number]) and await ask.holds(swaps[number], answer):
            return swaps[number]
    return swaps[0] if ask.allows(swaps[0]) else text
