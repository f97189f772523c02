"""Seq2Sick (Cheng et al., 2018): projected gradient steps, held to few words by a group lasso."""

from __future__ import annotations

import numpy as np

from unfool.attacks import attack
from unfool.attacks.parts.one_token import Spot, words_read_as_one
from unfool.attacks.parts.rank import ranked
from unfool.attacks.parts.search import Slopes
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool.victims import Gradients, WordEmbeddings

_DECIMALS = 5


@attack(needs=("gradients", "embeddings"))
async def seq2sick(sample: Sample, ask: Ask, *, steps: int = 50, rate: float = 0.3, lasso: float = 0.1) -> Text:
    """Move the words' vectors along the gradient, shrink what hardly moved to nothing, and take the nearest words.

    The gradient is taken where words stand, never between them: of a keyword goal it is that of how far the best
    other token is ahead, of the others that of the output's log-probability, and of a classifier that of the loss.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        steps: The most steps.
        rate: How far the steepest word moves in a step, in mean distances of words from their middle.
        lasso: How far every word is drawn back in a step, in the same unit: few words change where it is large.
    """
    if steps < 1 or rate <= 0 or not 0 <= lasso < rate:
        raise UserError(
            f"the attack 'seq2sick' cannot take steps={steps},rate={rate:g},lasso={lasso:g}; it takes 1 step or "
            "more, a rate above 0, and a lasso below the rate"
        )
    known: WordEmbeddings = ask.offer("embeddings")
    slopes = Slopes(ask, one_hot=False)
    await slopes.look([sample.text])
    spots = words_read_as_one(sample.text, sample.text, slopes.found[0], known)
    if not spots:
        return sample.text
    unit = float(np.linalg.norm(known.matrix - known.matrix.mean(axis=0), axis=1).mean())
    moved: Floats = np.zeros((len(spots), known.matrix.shape[1]), dtype=np.float32)
    nearest, most, seen = sample.text, -1.0, {sample.text.words}
    for _ in range(steps):
        moved = _shrunk(moved + rate * unit * _directions(slopes.found[0], spots), lasso * unit)
        text = _with_nearest_words(ask, sample.text, spots, moved, known)
        if text.words in seen:
            continue
        seen.add(text.words)
        if not await ask.permitted(text):
            continue
        answer = (await slopes.look([text]))[0]
        if await ask.holds(text, answer):
            return text
        gain = float(ask.goal.progress(answer, sample.label))
        if gain > most:
            nearest, most = text, gain
    return nearest


def _directions(slope: Gradients, spots: list[Spot]) -> Floats:
    """Return which way each word is to go, the steepest by a length of one."""
    found = np.stack([slope.gradient[slope.words == spot.position].sum(axis=0) for spot in spots])
    steepest = float(np.linalg.norm(found, axis=1).max())
    rounded: Floats = np.round(found / steepest, _DECIMALS) if steepest else found
    return rounded


def _shrunk(moved: Floats, length: float) -> Floats:
    """Draw every word back by a length: those that have not come as far stand where they stood."""
    far = np.linalg.norm(moved, axis=1, keepdims=True)
    kept: Floats = moved * np.maximum(0, 1 - length / np.maximum(far, 1e-12))
    return kept


def _with_nearest_words(ask: Ask, text: Text, spots: list[Spot], moved: Floats, known: WordEmbeddings) -> Text:
    """Put the nearest words where vectors have moved to, the farthest moved first, as many as may change."""
    far = np.linalg.norm(moved, axis=1)
    order = [number for number in ranked(far) if far[number]]
    points = known.matrix[[spots[number].row for number in order]] + moved[order]
    # The square of a distance, less what is the same for all words.
    distances = np.square(known.matrix).sum(axis=1) - 2 * points @ known.matrix.T
    left = ask.room[0]
    for number, row in zip(order, distances.argmin(axis=1).tolist(), strict=True):
        if row != spots[number].row and left >= 1:
            text = text.replace(spots[number].position, known.words[row])
            left -= 1
    return text
