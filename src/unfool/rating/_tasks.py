"""What raters are asked: four questions, each with instructions, an example and a check that they were read."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple


class Task(StrEnum):
    """A question about texts."""

    LABEL = "label"
    """What is the right label of this text?"""
    READABILITY = "readability"
    """Which of two texts, by two methods, reads more naturally?"""
    MEANING = "meaning"
    """Does the changed text still say the same, from 1 to 5?"""
    GRAMMAR = "grammar"
    """How good is the grammar of this text, from 1 to 5?"""

    @property
    def is_scale(self) -> bool:
        """Whether answers are numbers from 1 to 5."""
        return self in (Task.MEANING, Task.GRAMMAR)


SCALE = ("1", "2", "3", "4", "5")
KEEPS_MEANING = 4
"""From this answer on, a changed text still says the same."""
SIDES = ("0", "1")
"""The answers about a pair: its first text or its second, in whichever order they were shown."""


class Check(NamedTuple):
    """A question that a rater must get right before the texts begin."""

    question: str
    choices: tuple[str, ...]
    right: int


class Wording(NamedTuple):
    """All that a rater reads beside the texts."""

    question: str
    shown: tuple[str, ...]
    """What the answers are called on the page, in the order of `choices`."""
    instructions: tuple[str, ...]
    example: str
    check: Check


def choices(task: Task, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the answers as they are stored."""
    return {Task.LABEL: tuple(labels), Task.READABILITY: SIDES}.get(task, SCALE)


_ALONE = "Judge each text alone. Some texts have slips or odd words: judge what they say all the same."
NO_HASTE = "There is no hurry. You may leave and come back by the same link, and take back your last answer."
"""How it goes on pages of ours."""
_MEANINGS = ("1 – something else", "2", "3 – partly", "4", "5 – the same")
_GRAMMARS = ("1 – broken", "2", "3 – passable", "4", "5 – without fault")


def wording(task: Task, labels: Sequence[str]) -> Wording:
    """Return what raters read."""
    return {Task.LABEL: _label, Task.READABILITY: _readability, Task.MEANING: _meaning, Task.GRAMMAR: _grammar}[
        task
    ](labels)


def _label(labels: Sequence[str]) -> Wording:
    return Wording(
        "Which label is right for this text?",
        tuple(labels),
        (f"Read the text and choose the label that fits what it says: {', '.join(labels)}.", _ALONE),
        "“A dull story, but I laghed all the way through” says that the writer enjoyed the film; the slip does not "
        "change that.",
        Check(
            "A text has a spelling mistake. What do you do?",
            (
                "Choose the label that fits what it says",
                "Choose any label",
                "Choose another label than I would have",
            ),
            0,
        ),
    )


def _readability(labels: Sequence[str]) -> Wording:
    return Wording(
        "Which text reads more naturally?",
        ("The first", "The second"),
        (
            "You see two texts that are much alike. Choose the one that a person would rather have written.",
            "What the texts say, and whether it is true, does not matter.",
        ),
        "“The film was a great joy” reads more naturally than “The film was a whopping joy”.",
        Check(
            "Both texts say something you think is wrong. What counts?",
            ("Which one I agree with more", "Which one is longer", "Which one reads more naturally"),
            2,
        ),
    )


def _meaning(labels: Sequence[str]) -> Wording:
    return Wording(
        "Does the second text still say the same as the first?",
        _MEANINGS,
        (
            "The second text was made from the first. Say how much of the meaning is kept, from 1 to 5.",
            "Slips and odd words do not count, as long as the meaning is the same to you.",
        ),
        "“The film was a great joy” and “The flim was a great joy” say the same: 5. "
        "“The film was a great bore” says something else: 1.",
        Check(
            "The second text has a spelling mistake but says the same. What do you answer?",
            ("1, because it has a mistake", "5, because it says the same", "3, because I am not sure"),
            1,
        ),
    )


def _grammar(labels: Sequence[str]) -> Wording:
    return Wording(
        "How good is the grammar of this text?",
        _GRAMMARS,
        (
            "Say from 1 to 5 how well formed the text is, spelling included.",
            "What the text says does not matter.",
        ),
        "“The film was a great joy” has no fault: 5. “Film the great were joys a” is broken: 1.",
        Check(
            "A text is well written, but you do not agree with it. What do you answer?",
            ("1, because it is wrong", "5, because it is well written", "3, to be fair"),
            1,
        ),
    )
