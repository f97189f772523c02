"""Changes of one character: which there are, the best first, and how many are allowed (Ebrahimi et al., 2018)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unfool.attacks.parts._estimates import Estimates
from unfool.engine import Ask, Floats
from unfool.errors import UserError
from unfool.lexicon import counter_fitted
from unfool.stats import whole_share
from unfool.text import Text
from unfool.victims import CharacterReader, Spelling

Operations = Literal["all", "flips"]
_FIRST_LOOK = 16
_DIGITS = 4
_LEAST = 1e-30


class CharacterChanges:
    """Every flip, then every insertion, then every deletion of a character in the words that may be edited.

    A character the net reads as several tokens is left alone, and so is the last one of a word.

    Args:
        text: The text.
        spelling: How the net spells it.
        reader: The net's alphabet.
        operations: ``all``, or flips alone.
    """

    def __init__(self, text: Text, spelling: Spelling, reader: CharacterReader, operations: Operations) -> None:
        self._text, self._spelling, self._letters = text, spelling, reader.letters
        words, places = spelling.words, spelling.places
        there = places >= 0
        if not all(field.editable for field in text.fields):
            there &= np.isin(words, text.editable)
        again = (words[1:] == words[:-1]) & (places[1:] == places[:-1]) & there[1:]
        first, single = np.ones_like(there), np.ones_like(there)
        first[1:], single[1:] = ~again, ~again
        single[:-1] &= ~again
        lengths = np.array([*map(len, text.words), 0])
        real = there & single & (spelling.ids != reader.pad)
        none = np.empty(0, dtype=np.intp)
        self.flips = np.flatnonzero(real)
        self.inserts = np.flatnonzero(there & first) if operations == "all" else none
        self.deletes = np.flatnonzero(real & (lengths[words] > 1)) if operations == "all" else none

    def __len__(self) -> int:
        return (len(self.flips) + len(self.inserts)) * len(self._letters) + len(self.deletes)

    def __getitem__(self, number: int) -> tuple[int, str]:
        """Return the position and the new word of a change."""
        count, flips = len(self._letters), len(self.flips)
        lettered = count * (flips + len(self.inserts))
        if number >= lettered:
            token, letter, gone = self.deletes[number - lettered], "", 1
        else:
            line, column = divmod(number, count)
            flipped = line < flips
            token = self.flips[line] if flipped else self.inserts[line - flips]
            letter, gone = self._letters[column], int(flipped)
        position, place = int(self._spelling.words[token]), int(self._spelling.places[token])
        word = self._text.words[position]
        return position, word[:place] + letter + word[place + gone :]

    def best_first(self, estimates: Estimates) -> Iterator[tuple[float, int, str]]:
        """Yield (estimate, position, new word), the largest estimate first, ties in the order of the changes.

        Estimates are rounded to a ten-thousandth of their range, below which they move with the batch's shape.
        Mostly the first few are enough, so at first only those are sorted that share a token with one of the best.
        """
        tops = np.concatenate(
            [
                estimates.best_flips[self.flips],
                estimates.best_inserts[self.inserts],
                estimates.deletes[self.deletes],
            ]
        )
        finite = tops[np.isfinite(tops)]
        if not len(finite):
            return
        decimals = _DIGITS - math.floor(math.log10(max(np.abs(finite).max(), _LEAST)))
        few = max(0, len(finite) - _FIRST_LOOK)
        least, most = np.round(np.partition(finite, few)[few].astype(np.float64), decimals), np.inf
        # What is rounded up to the least lies below it by no more than a unit.
        for lines in (np.flatnonzero(tops >= least - 10.0**-decimals), np.arange(len(tops))):
            scores, numbers = self._of_lines(lines, estimates)
            rounded = np.round(scores.astype(np.float64), decimals)
            chosen = np.flatnonzero((rounded >= least) & (rounded < most))
            order = chosen[np.argsort(-rounded[chosen], kind="stable")]
            for score, number in zip(rounded[order].tolist(), numbers[order].tolist(), strict=True):
                yield score, *self[number]
            least, most = -np.finfo(np.float64).max, least

    def _of_lines(self, lines: NDArray[np.intp], estimates: Estimates) -> tuple[Floats, NDArray[np.intp]]:
        """Return estimates and numbers of the changes in some lines: a line is a token's letters, or a deletion."""
        count, flips, letters = len(self._letters), len(self.flips), len(self.flips) + len(self.inserts)
        first, second = np.searchsorted(lines, (flips, letters))
        scores = (
            estimates.flips(self.flips[lines[:first]]).ravel(),
            estimates.inserts(self.inserts[lines[first:second] - flips]).ravel(),
            estimates.deletes[self.deletes[lines[second:] - letters]],
        )
        numbers = (
            (lines[:second, None] * count + np.arange(count)).ravel(),
            lines[second:] + letters * (count - 1),
        )
        return np.concatenate(scores), np.concatenate(numbers)


def character_steps(attack: str, text: Text, budget: float, width: int = 1) -> int:
    """Return how many characters an attack may change: a share of those of the editable fields, at least one.

    Raises:
        UserError: A share that is none, or a width under one.
    """
    if not 0 < budget <= 1:
        raise UserError(f"the attack {attack!r} cannot take budget={budget}; it takes a share over 0 and up to 1")
    if width < 1:
        raise UserError(f"the attack {attack!r} cannot take width={width}; it takes 1 or more")
    return max(1, whole_share(budget, text.editable_characters))


def is_no_word(ask: Ask, word: str) -> bool:
    """Whether a word, in any case, is neither in the victim's vocabulary nor, where it has none, a common word."""
    return not (ask.knows(word) if ask.vocabulary else word in counter_fitted())
