"""JSMA (Papernot et al., 2016), as the CS229 report uses it: along the gradient to the farthest word."""

from __future__ import annotations

from typing import Literal

from unfool.attacks import attack
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Sample, Text
from unfool.victims import GradientRequest, Gradients, Projection


@attack(needs=("gradients", "embeddings"))
async def jsma(sample: Sample, ask: Ask, *, most: int = 35, projection: Literal["dot", "cosine"] = "dot") -> Text:
    """Replace the last words, last first, by those farthest along the gradient, until the victim is fooled.

    The gradient is that of the right label's output before the softmax, where it does not saturate, and is taken
    anew after each replacement; the step goes against it (with a target: along that of the target's output). Of the
    words the victim knows as one token, the one with the largest projection on the step is taken. The report
    reads at most 250 words of a review and also steps through the padding behind shorter ones; here the last words
    are the last that the victim reads, padding left alone.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        most: Words replaced at most; the report's M.
        projection: ``dot``: of the word's vector. ``cosine``: of its direction alone. The report says neither.
    """
    if most < 1:
        raise UserError(f"the attack 'jsma' cannot take most={most}; it takes 1 or more")
    text, target = sample.text, ask.goal.target
    label, sign = (sample.label, -1.0) if target is None else (target, 1.0)
    slopes: Gradients | None = None
    replaced = known_since = 0

    async def slopes_since(word: int) -> Gradients:
        asked = GradientRequest(text, label, of="logit", since=word)
        found: Gradients = await ask.use(ask.service("gradients"), asked)
        return found

    for position in reversed(text.editable):
        if replaced == most:
            break
        if slopes is None or position < known_since:
            slopes = await slopes_since(position)
            known_since = min(position, int(slopes.words.max(initial=-1)))
        # A word of several tokens gives way as a whole: its step is the sum of theirs; one cut off has none.
        step = sign * slopes.gradient[slopes.words == position].sum(axis=0)
        if not step.any():
            continue
        word = await ask.use(ask.service("embeddings"), Projection(step, projection == "cosine"))
        changed = text.replace(position, word)
        if word == text.words[position] or not await ask.permitted(changed):
            continue
        text, replaced = changed, replaced + 1
        if replaced < most:
            # One pass tells the way to the next word and whether this one fools.
            known_since = max(0, position - 1)
            slopes = await slopes_since(known_since)
        if await ask.fooled(text):
            break
    return text
