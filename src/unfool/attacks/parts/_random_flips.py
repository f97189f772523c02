"""Random flips of characters, kept where they help: the black-box way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unfool.attacks.parts._characters import is_no_word
from unfool.attacks.parts._rank import ranked
from unfool.engine import Ask
from unfool.errors import UserError
from unfool.text import Text, Variants


async def random_flips(ask: Ask, text: Text, symbols: Callable[[str], str], *, steps: int, draws: int) -> Text:
    """Flip random characters; of each few, keep the one that brings the goal nearest, if any brings it nearer.

    Args:
        ask: The sample's line to the victim.
        text: The text.
        symbols: The characters that may take another's place.
        steps: How many flips may be kept.
        draws: How many are drawn, and asked together, for each.

    Raises:
        UserError: If there are no draws.
    """
    if draws < 1:
        raise UserError(f"an attack by random flips cannot take draws={draws}; it takes 1 or more")
    reached, spots = float((await ask.progress(text))[0]), _spots(text, symbols)
    for _ in range(steps):
        flips = _drawn(ask, text, spots, symbols, draws)
        flips = flips.take(await ask.permitted(flips))
        answers = await ask.predict(flips)
        gains = ask.goal.progress(answers, ask.sample.label)
        better = [number for number in ranked(gains) if gains[number] > reached]
        for number in better:
            if await ask.holds(flips[number], answers[number]):
                return flips[number]
        if better:
            text, reached = flips[better[0]], float(gains[better[0]])
            spots = _spots(text, symbols)
    return text


def _spots(text: Text, symbols: Callable[[str], str]) -> list[tuple[int, int]]:
    """Return the characters that could become others: the positions of their words, and their places there."""
    return [
        (position, place)
        for position in text.editable
        for place, character in enumerate(text.words[position])
        if symbols(character).replace(character, "")
    ]


def _drawn(
    ask: Ask, text: Text, spots: Sequence[tuple[int, int]], symbols: Callable[[str], str], draws: int
) -> Variants:
    chosen = ask.random.integers(len(spots), size=draws).tolist() if spots else []
    changes: list[tuple[int, str]] = []
    for (position, place), luck in zip([spots[number] for number in chosen], _luck(ask, len(chosen)), strict=True):
        word = text.words[position]
        others = symbols(word[place]).replace(word[place], "")
        changed = word[:place] + others[int(luck * len(others))] + word[place + 1 :]
        if is_no_word(ask, changed):
            changes.append((position, changed))
    return text.variants([position for position, _ in changes], [word for _, word in changes])


def _luck(ask: Ask, count: int) -> list[float]:
    """Numbers from 0 up to, but not including, 1."""
    drawn: list[float] = np.asarray(ask.random.random(count)).tolist()
    return drawn
