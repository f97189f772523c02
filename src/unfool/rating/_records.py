"""Raters, what they are asked and what they answer."""

from __future__ import annotations

from typing import NamedTuple

from unfool.errors import UserError
from unfool.rating._draw import Turn


class Refused(UserError):
    """An answer that cannot be taken, such as one to a question that was not asked."""


class NoRoom(UserError):
    """The disk took no more: nothing was stored."""


class Rater(NamedTuple):
    """Somebody who judges, known by a number and, where they answer by a page, by a token nobody can guess."""

    number: int
    name: str
    token: str | None
    ready: bool
    """Whether the check of the instructions is passed."""
    misread: int
    """Wrong answers to that check."""


class Asked(NamedTuple):
    """A question as one rater sees it."""

    place: int
    """The how-manieth question of this rater it is, from 0."""
    item: int
    swapped: bool
    """Whether a pair is shown with its second text first."""


class Answered(NamedTuple):
    """A vote on its way in from elsewhere."""

    item: int
    answer: str
    comment: str = ""


class Vote(NamedTuple):
    """An answer, as figures are made of it."""

    rater: str
    item: int
    answer: str
    turn: str = Turn.ITEM.value
    comment: str = ""


class Progress(NamedTuple):
    """How far a rater is."""

    answered: int
    most: int
    """How many questions it will be at most."""
