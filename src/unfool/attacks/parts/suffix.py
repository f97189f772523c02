"""Suffixes: what stands behind a text to turn the answer, and the few best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask, Floats
from unfool.text import Text

_LEAST = 1e-6
"""What a probability is taken for that is told as 0."""


def with_suffix(text: Text, suffix: str) -> Text:
    """Return the text with a suffix behind its last field that may be edited, a word for each stretch of it.

    The suffix has single spaces alone, none of them at an end.
    """
    number = max(number for number, field in enumerate(text.fields) if field.editable)
    for word in suffix.split(" "):
        place = text.fields[number].stop
        gap = place + number
        before = text.gaps[gap]
        text = text.insert(place, word)
        parted = before if not text.strings[number][: -len(word)].strip() or before[-1:].isspace() else f"{before} "
        text = replace(text, gaps=(*text.gaps[:gap], parted, "", *text.gaps[gap + 2 :]))
    return text


class Tried(NamedTuple):
    """The best of some suffixes that were asked about."""

    suffix: str
    text: Text
    progress: float
    fools: bool


class Tries:
    """Asks about suffixes, and knows which came nearest."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.nearest, self._most = ask.sample.text, -np.inf

    async def best_of(self, suffixes: Sequence[str]) -> Tried | None:
        """Return the first that fools, else the best; None if none is permitted."""
        ask = self._ask
        texts = [with_suffix(ask.sample.text, suffix) for suffix in suffixes]
        kept = await ask.permitted(texts)
        if ask.budget.queries is not None:
            # Of many the last queries serve some; where none is left, asking ends the attack.
            kept = kept[: max(1, ask.budget.queries - ask.queries)]
        if not kept:
            return None
        answers = await ask.predict([texts[number] for number in kept])
        gains: Floats = ask.goal.progress(answers, ask.sample.label)
        for place in np.flatnonzero(ask.goal.reached(answers, ask.sample.label)).tolist():
            if await ask.holds(texts[kept[place]], answers[place]):
                return self._noted(Tried(suffixes[kept[place]], texts[kept[place]], float(gains[place]), True))
        place = ranked(gains)[0]
        return self._noted(Tried(suffixes[kept[place]], texts[kept[place]], float(gains[place]), False))

    def _noted(self, tried: Tried) -> Tried:
        if tried.fools or tried.progress > self._most:
            self.nearest, self._most = tried.text, tried.progress
        self._ask.notes["loss"] = loss_of(tried.progress)
        return tried


def loss_of(progress: float) -> float:
    """Return the surprise at the goal: minus the logarithm of the probability that it has."""
    return float(-np.log(max(progress, _LEAST)))
