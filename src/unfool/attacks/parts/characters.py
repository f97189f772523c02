"""Changes of one character: which there are, what they are estimated to do, how many are allowed.

The estimates are those of Ebrahimi et al. (2018).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks import refuse_below
from unfool.engine import Floats
from unfool.errors import UserError
from unfool.stats import whole_share
from unfool.text import Text
from unfool.victims import CharacterReader, Spelling

Operations = Literal["all", "flips"]
_FIRST_LOOK = 16
_DIGITS = 4
_LEAST = 1e-30
_PER_FLIP = np.float32(1 / np.sqrt(2))


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
    refuse_below(attack, 1, width=width)
    return max(1, whole_share(budget, text.editable_characters))


class Estimates(NamedTuple):
    """How fast the loss grows along each change of a text, by token; minus infinity where nothing would change.

    Few of them are looked at, so a token's flips and insertions are worked out when they are asked for.
    """

    best_flips: Floats
    """The largest of each token."""
    best_inserts: Floats
    deletes: Floats
    slopes: Floats
    """Of the loss towards each letter, [tokens, letters]; minus infinity for the letter that stands there."""
    own: Floats
    """Of the loss towards what stands there."""
    moved: Floats
    """What an insertion adds by moving what stands behind it."""
    per_length: Floats
    """One over the length of an insertion's direction."""
    doubled: Floats
    """The insertion of the letter that stands there."""

    def flips(self, tokens: NDArray[np.intp]) -> Floats:
        """Return the flips of some tokens, [tokens, letters]."""
        return np.asarray((self.slopes[tokens] - self.own[tokens, None]) * _PER_FLIP)

    def inserts(self, tokens: NDArray[np.intp]) -> Floats:
        """Return the insertions before some tokens, [tokens, letters]."""
        slopes = self.slopes[tokens]
        others = (slopes - self.own[tokens, None] + self.moved[tokens, None]) * self.per_length[tokens, None]
        return np.where(slopes == -np.inf, self.doubled[tokens, None], others)


def estimate_changes(
    spellings: Sequence[Spelling], gradients: Sequence[Floats], reader: CharacterReader
) -> list[Estimates]:
    """Return the directional derivatives of the loss along all changes of one character, for several texts.

    A change is the sum of the flips it is made of: an insertion moves what stands behind it in the run by one, a
    deletion moves it back. The sum is divided by the length of that direction, the root of twice the number of
    tokens that become others.

    Args:
        spellings: The tokens of each text.
        gradients: Of each loss by the tokens' one-hot vectors, [tokens, ids].
        reader: The net's alphabet.
    """
    # All texts in one row: most calls of NumPy take longer than the numbers of one text do.
    gradient, ids = np.concatenate(gradients), np.concatenate([spelling.ids for spelling in spellings])
    lengths = np.array([len(spelling.ids) for spelling in spellings])
    stops, there = np.cumsum(lengths), np.arange(lengths.max()) < lengths[:, None]
    runs = np.concatenate([spelling.runs for spelling in spellings])
    ends = np.append(runs[1:] != runs[:-1], True)[: len(ids)]
    ends[stops[stops > 0] - 1] = True

    rows = np.arange(len(ids))
    own = gradient[rows, ids]
    following = np.where(ends, reader.pad, np.roll(ids, -1))
    previous = np.roll(ids, 1)
    back, on = gradient[rows, following] - own, gradient[rows, previous] - own
    deleted, deleted_flips = (_from_here_on(values, ends, there) for values in (back, following != ids))
    moved, moved_flips = (_from_here_on(values, ends, there) - values for values in (on, previous != ids))

    # A letter that stands there already is no flip; what an insertion moves behind it may be.
    columns = np.full(gradient.shape[1], -1)
    columns[reader.letter_ids] = np.arange(len(reader.letter_ids))
    letter = columns[ids]
    known = np.flatnonzero(letter >= 0)
    slopes = gradient.take(reader.letter_ids, axis=1)
    slopes[known, letter[known]] = -np.inf
    steepest = slopes.max(axis=1, initial=-np.inf) - own
    doubled = np.where(letter >= 0, _along(moved, moved_flips), np.float32(-np.inf))
    added, per_length = moved.astype(np.float32), (1 / np.sqrt(2 * (moved_flips + 1))).astype(np.float32)
    all_texts = Estimates(
        best_flips=steepest * _PER_FLIP,
        best_inserts=np.maximum((steepest + added) * per_length, doubled),
        deletes=_along(deleted, deleted_flips),
        slopes=slopes,
        own=own,
        moved=added,
        per_length=per_length,
        doubled=doubled,
    )
    starts = [0, *stops[:-1].tolist()]
    return [
        Estimates(*(column[start:stop] for column in all_texts))
        for start, stop in zip(starts, stops.tolist(), strict=True)
    ]


def _from_here_on(
    values: Floats | NDArray[np.bool_], ends: NDArray[np.bool_], there: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the sums of the values from each token to the end of its run.

    Args:
        values: Of all tokens.
        ends: Which are the last of their runs.
        there: How the tokens lie in the texts, [texts, places]: large values of one must not blur another's sums.
    """
    texts, longest = there.shape
    places = np.zeros((texts, longest + 1))
    places[:, :-1][there] = values
    sums = np.cumsum(places[:, ::-1], axis=1)[:, ::-1]
    last = np.flatnonzero(ends)
    behind = sums[:, 1:][there][last]
    return np.asarray(sums[:, :-1][there] - np.repeat(behind, np.diff(last, prepend=-1)))


def _along(sums: NDArray[np.float64], flips: NDArray[np.float64]) -> Floats:
    return np.asarray(np.where(flips > 0, sums / np.sqrt(2 * np.maximum(flips, 1)), -np.inf), dtype=np.float32)
