"""Charmer (Abad Rocamora et al., 2024): a few characters, at the places where a blank does most."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from string import ascii_letters, digits, punctuation
from typing import NamedTuple, TypeVar

import numpy as np

from unfool.attacks import attack, refuse_below
from unfool.attacks.parts.rank import ranked
from unfool.engine import Ask
from unfool.text import Sample, Text, Variants

T = TypeVar("T")
_BLANK = " "
_ALPHABET = _BLANK + ascii_letters + digits + punctuation
_AT_ONCE = 512
"""Places looked at together: the texts that lack a blank are made anew, and those of a long one fill the memory."""
_SHORT_STEPS = 4
"""Where the queries that are left do not cover a step, a step spends this part of the whole budget."""


class Slot(NamedTuple):
    """A place for a character: in a word instead of so many of its own, or, with -1, for the blank behind it."""

    position: int
    place: int
    width: int


@attack()
async def charmer(
    sample: Sample, ask: Ask, *, edits: int = 10, slots: int = 20, alphabet: str | None = None
) -> Text:
    """Insert, replace and delete characters, at each step the one that brings the goal nearest.

    A step looks for places first: before, in place of and behind every character of a word it puts a blank, and
    takes a blank between two words away. At the places where that does most it tries every character, and none.
    Where a budget of queries does not cover such a step, a step spends a quarter of the budget: one half on places
    drawn at random, the other on characters drawn for the best of them.

    Args:
        sample: The text and its label.
        ask: The line to the victim.
        edits: The most steps; each changes one character.
        slots: At how many places a step tries all characters.
        alphabet: The characters that are tried; ``none`` for those of ASCII that can be seen, and the blank.
    """
    refuse_below("charmer", 1, edits=edits, slots=slots)
    text = sample.text
    letters = ["", *(_ALPHABET if alphabet is None else alphabet)]
    reached = float((await ask.progress(text))[0])
    for _ in range(edits):
        everywhere = list(_slots(text))
        ration = _ration(ask, len(everywhere) + slots * len(letters))
        everywhere = _drawn(ask, everywhere, ration)
        gains = [
            await ask.progress(
                _with(text, [(slot, _trial(text, slot)) for slot in everywhere[first : first + _AT_ONCE]])
            )
            for first in range(0, len(everywhere), _AT_ONCE)
        ]
        most = slots if ration is None else min(slots, math.isqrt(ration))
        chosen = [everywhere[number] for number in ranked(np.concatenate([*gains, []]))[:most]]
        tried = _drawn(ask, [(slot, letter) for slot in chosen for letter in letters], ration)
        if ration is not None:  # what was put into these places is known, and free
            tried = list(dict.fromkeys([*((slot, _trial(text, slot)) for slot in chosen), *tried]))
        changes = _with(text, tried)
        changes = changes.take(await ask.permitted(changes))
        answers = await ask.predict(changes)
        progress = ask.goal.progress(answers, sample.label)
        order = ranked(progress)
        for number in order:
            if await ask.holds(changes[number], answers[number]):
                return changes[number]
        if not order or progress[order[0]] <= reached:
            if ration is None:
                break
            continue  # other places may be drawn
        text, reached = changes[order[0]], float(progress[order[0]])
    return text


def _ration(ask: Ask, step: int) -> int | None:
    """Return how many places, and how many changes, a step may ask about; None where a whole step is covered."""
    if ask.budget.queries is None:
        return None
    cost = ask.queries // ask.texts_asked
    left = (ask.budget.queries - ask.queries) // cost
    return None if step <= left else max(1, min(ask.budget.queries // cost // (2 * _SHORT_STEPS), left // 2))


def _drawn(ask: Ask, all_of_them: list[T], count: int | None) -> list[T]:
    if count is None or len(all_of_them) <= count:
        return all_of_them
    return [all_of_them[number] for number in sorted(ask.random.choice(len(all_of_them), count, replace=False))]


def _trial(text: Text, slot: Slot) -> str:
    """Return what is put into a slot to see what it matters: a blank, or nothing where a blank stands."""
    stands = text.words[slot.position][slot.place : slot.place + slot.width] if slot.width > 0 else ""
    return "" if slot.width < 0 or stands == _BLANK else _BLANK


def _slots(text: Text) -> Iterator[Slot]:
    for at in text.editable:
        for place in range(len(text.words[at])):
            yield from (Slot(at, place, 0), Slot(at, place, 1))
        yield Slot(at, len(text.words[at]), 0)
        field = text.field_of(at)
        if at + 1 < field.stop and text.gaps[at + 1 + text.fields.index(field)] == _BLANK:
            yield Slot(at, len(text.words[at]), -1)


def _with(text: Text, changes: Sequence[tuple[Slot, str]]) -> Variants:
    """Return the text with a character put into a slot, one at a time; those that change nothing are left out."""
    bases, which, positions, words = [text], list[int](), list[int](), list[str]()
    joined: dict[int, int] = {}
    for slot, letter in changes:
        word, at = text.words[slot.position], slot.position
        if slot.width < 0:
            if letter == _BLANK:
                continue
            if at not in joined:
                joined[at] = len(bases)
                bases.append(text.delete(at + 1))
            new = word + letter + text.words[at + 1]
        else:
            new = word[: slot.place] + letter + word[slot.place + slot.width :]
            if new == word:
                continue
        which.append(joined[at] if slot.width < 0 else 0)
        positions.append(at)
        words.append(new)
    return Variants(bases, which, positions, words)
