"""JSMA (Papernot et al., 2016), as the CS229 report uses it: along the gradient to the farthest word."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from unfool.attacks import attack, refuse_below
from unfool.engine import Ask
from unfool.text import Sample, Text
from unfool.victims import GradientRequest, Gradients, Padding, Projection


@attack(needs=("gradients", "embeddings"))
async def jsma(
    sample: Sample,
    ask: Ask,
    *,
    most: int = 35,
    projection: Literal["dot", "cosine"] = "dot",
    slopes: Literal["anew", "once"] = "anew",
    padding: bool = False,
) -> Text:
    """Replace the last words, last first, by those farthest along the gradient, until the victim is fooled.

    The gradient is that of the right label's output before the softmax, where it does not saturate; the step goes
    against it (with a target: along that of the target's output). Of the words the victim knows as one token, the
    one with the largest projection on the step is taken. The report reads at most 250 words of a review and also
    steps through the padding behind shorter ones; it does not say whether words are put there.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        most: Words replaced at most; the report's M.
        projection: ``dot``: of the word's vector. ``cosine``: of its direction alone. The report says neither.
        slopes: ``anew``: the gradient is taken after each replacement. ``once``: the original's serves for all.
        padding: Whether words are also put into the padding behind the text, its end first. It takes a net that
            is read behind the padding, such as ``zoo:CS229-LSTM:read=last-step@imdb``.
    """
    refuse_below("jsma", 1, most=most)
    text, target = sample.text, ask.goal.target
    label, sign = (sample.label, -1.0) if target is None else (target, 1.0)
    found: Gradients | None = None
    replaced = known_since = 0

    async def slopes_since(word: int) -> Gradients:
        asked = GradientRequest(text, label, of="logit", since=word)
        answer: Gradients = await ask.use(ask.service("gradients"), asked)
        return answer

    if padding:
        behind: Padding = ask.offer("padding")
        text = _padded(text, behind.word, behind.tokens - len((await slopes_since(0)).ids))
    for position in reversed(text.editable):
        if replaced == most:
            break
        if found is None or position < known_since:
            first = position if slopes == "anew" else 0
            found = await slopes_since(first)
            known_since = min(first, int(found.words.max(initial=-1)))
        # A word of several tokens gives way as a whole: its step is the sum of theirs; one cut off has none.
        step = sign * found.gradient[found.words == position].sum(axis=0)
        if not step.any():
            continue
        word = await ask.use(ask.service("embeddings"), Projection(step, projection == "cosine"))
        changed = text.replace(position, word)
        if word == text.words[position] or not await ask.permitted(changed):
            continue
        text, replaced = changed, replaced + 1
        if replaced < most and slopes == "anew":
            # One pass tells the way to the next word and whether this one fools.
            known_since = max(0, position - 1)
            found = await slopes_since(known_since)
        if await ask.fooled(text):
            break
    if padding:
        ask.notes["words put"] = replaced
        ask.notes["words put into padding"] = sum(word != behind.word for word in text.words[len(sample.text) :])
    return text


def _padded(text: Text, word: str, many: int) -> Text:
    """Return a text with padding written out behind its last mark, to be replaced like any other words."""
    if many <= 0:
        return text
    gaps = (*text.gaps[:-1], f"{text.gaps[-1]} ", *[" "] * (many - 1), "")
    last = text.fields[-1]
    return Text((*text.words, *[word] * many), gaps, (*text.fields[:-1], replace(last, stop=last.stop + many)))
