"""What changes of one character are estimated to do (Ebrahimi et al., 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats
from unfool.victims import CharacterReader, Spelling

_PER_FLIP = np.float32(1 / np.sqrt(2))


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
