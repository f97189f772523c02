"""The changed words of an outcome, marked in its texts for display."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, groupby, takewhile
from typing import NamedTuple

from unfool.engine import Outcome
from unfool.text import Text, diff


class Piece(NamedTuple):
    """A stretch of a text: one word that differs between the two texts, or anything that does not."""

    string: str
    changed: bool


class Marked(NamedTuple):
    """The fields of the original and of the perturbed text; joined, the pieces of a field give it back."""

    original: tuple[tuple[Piece, ...], ...]
    perturbed: tuple[tuple[Piece, ...], ...]


def mark_changes(outcome: Outcome) -> Marked:
    """Cut both texts of an outcome into pieces.

    A mark that an attack put into a word, or in its place, is part of what changed: *co%tly* is one piece.
    """
    return mark_between(outcome.original, outcome.perturbed)


def mark_between(original: tuple[str, ...], perturbed: tuple[str, ...]) -> Marked:
    """Do as `mark_changes` does, about the fields of any two texts."""
    fields = [_mark(old, new) for old, new in zip(original, perturbed, strict=True)]
    return Marked(tuple(old for old, _ in fields), tuple(new for _, new in fields))


class _Canvas:
    """A text whose characters are marked one by one."""

    def __init__(self, string: str) -> None:
        self.text = Text.of(string)
        self.string = string
        self.changed = [False] * len(string)
        parts = [part for pair in zip(self.text.gaps, (*self.text.words, ""), strict=True) for part in pair]
        self._ends = list(accumulate(map(len, parts)))

    def gap(self, number: int) -> str:
        return self.text.gaps[number]

    def gaps_inside(self, start: int, stop: int) -> tuple[str, ...]:
        return self.text.gaps[start + 1 : stop]

    def mark(self, start: int, stop: int, before: int, behind: int, known: tuple[str, ...]) -> None:
        """Mark words ``start`` to ``stop`` and the gaps around them, but for so many characters at either end.

        Blanks are not marked, nor are gaps between the words that the other text has between its words, too.
        """
        first = self._ends[2 * start] - len(self.gap(start)) + before
        last = self._ends[2 * stop] - behind
        left_out = {
            place
            for number in range(start + 1, stop)
            if self.gap(number) in known
            for place in range(self._ends[2 * number] - len(self.gap(number)), self._ends[2 * number])
        }
        for place in range(first, last):
            self.changed[place] |= place not in left_out and not self.string[place].isspace()

    def pieces(self) -> tuple[Piece, ...]:
        runs = groupby(range(len(self.string)), key=self.changed.__getitem__)
        return tuple(Piece("".join(self.string[place] for place in run), changed) for changed, run in runs)


def _mark(original: str, perturbed: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    old, new = _Canvas(original), _Canvas(perturbed)
    shift = 0  # how far the new text's words have moved from the old one's
    for position, before, after in diff(old.text, new.text).changes:
        here, there = (position, position + len(before)), (position + shift, position + shift + len(after))
        # What both texts have around the words is not changed; the rest of the gaps is what the words became.
        ahead = _shared(old.gap(here[0]), new.gap(there[0]))
        # Where no word is left, one gap is on both sides of it.
        ends = (old.gap(here[1])[0 if before else ahead :], new.gap(there[1])[0 if after else ahead :])
        behind = _shared(reversed(ends[0]), reversed(ends[1]))
        old.mark(*here, ahead, behind, new.gaps_inside(*there))
        new.mark(*there, ahead, behind, old.gaps_inside(*here))
        shift += len(after) - len(before)
    return old.pieces(), new.pieces()


def _shared(one: Iterable[str], other: Iterable[str]) -> int:
    """Return how many characters two strings have in common at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
