"""Kuleshov et al. (2018): the best neighbour of any word, again and again, where a language model stands it."""

from __future__ import annotations

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.offers import neighbours, once_a_word
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.lexicon.language_model import language_model
from unfool.text import Sample, Text

_ANY = -1.0


@attack(language="English")
async def kuleshov(
    sample: Sample,
    ask: Ask,
    *,
    nearest: int = 15,
    most: float = 0.5,
    thought: float = 0.2,
    surprise: float | None = 2.0,
) -> Text:
    """Replace a word by the neighbour that brings the goal nearest, then another word, while the text stays likely.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        nearest: Neighbours by counter-fitted vectors tried for a word; stop words have none.
        most: The share of words that may be replaced.
        thought: How far the mean of the words' counter-fitted vectors, of length one, may move.
        surprise: How much less likely, in nats, the text may become (SmolLM2, which needs ``unfool[perplexity]``);
            ``none`` asks no model.
    """
    refuse_below("kuleshov", 1, nearest=nearest)
    if not 0 < most <= 1:
        raise UserError(f"the attack 'kuleshov' cannot take most={most:g}; it takes a share over 0 and up to 1")
    original = sample.text
    propose = once_a_word(original, neighbours(original, nearest, _ANY))
    known = sum(counter_fitted().vector(word) is not None for word in original.words)
    text = nearest_text = original
    moved: Floats = np.zeros(1, dtype=np.float32)
    reached = float((await ask.progress(text))[0])
    for _ in range(int(most * len(original.editable))):
        swaps = propose(text)
        # The mean moves by what one word becomes, over the number of words that have vectors.
        moves = [
            moved + _step(original.words[at], word) / np.float32(known)
            for at, word in zip(swaps.positions, swaps.words, strict=True)
        ]
        near = [number for number, move in enumerate(moves) if np.linalg.norm(move) <= thought]
        allowed = await ask.permitted(swaps.take(near))
        swaps, moves = swaps.take([near[n] for n in allowed]), [moves[near[n]] for n in allowed]
        answers = await ask.predict(swaps)
        gains = ask.goal.progress(answers, sample.label)
        for best in ranked(gains):
            if surprise is None or await _is_likely(ask, original, swaps[best], surprise):
                break
        else:
            break
        text, moved = swaps[best], moves[best]
        if gains[best] > reached:
            nearest_text, reached = text, float(gains[best])
        if await ask.holds(text, answers[best]):
            return text
    return nearest_text


def _step(old: str, new: str) -> Floats:
    """Return from where to where a vector moves if one word becomes another; both have one."""
    before, after = counter_fitted().vector(old), counter_fitted().vector(new)
    assert before is not None
    assert after is not None
    return after - before


async def _is_likely(ask: Ask, original: Text, text: Text, surprise: float) -> bool:
    totals: list[float] = await ask.use(language_model().totals, [str(original), str(text)])
    return totals[1] - totals[0] <= surprise
