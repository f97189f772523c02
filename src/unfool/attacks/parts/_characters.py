"""Changes of one character: which there are, and what each is estimated to do (Ebrahimi et al., 2018)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Ask, Floats
from unfool.lexicon import counter_fitted
from unfool.text import Text
from unfool.victims import CharacterReader, Spelling

Operations = Literal["all", "flips"]
_FIRST_LOOK, _BLOCK = 16, 64
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
        editable = np.zeros(len(text) + 1, dtype=bool)
        editable[list(text.editable)] = True
        there = editable[words] & (places >= 0)
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
        count = len(self._letters)
        line, column = divmod(number, count)
        if line < len(self.flips):
            token, letter, gone = self.flips[line], self._letters[column], 1
        elif line < len(self.flips) + len(self.inserts):
            token, letter, gone = self.inserts[line - len(self.flips)], self._letters[column], 0
        else:
            behind = number - count * (len(self.flips) + len(self.inserts))
            token, letter, gone = self.deletes[behind], "", 1
        position, place = int(self._spelling.words[token]), int(self._spelling.places[token])
        word = self._text.words[position]
        return position, word[:place] + letter + word[place + gone :]

    def best_first(self, estimates: Estimates) -> Iterator[tuple[float, int, str]]:
        """Yield (estimate, position, new word), the largest estimate first, ties in the order of the changes."""
        scores = np.concatenate(
            [
                estimates.flips[self.flips].ravel(),
                estimates.inserts[self.inserts].ravel(),
                estimates.deletes[self.deletes],
            ]
        )
        for score, number in _descending(scores):
            yield score, *self[number]


class Estimates(NamedTuple):
    """How fast the loss grows along each change, one row a token; minus infinity where nothing would change."""

    flips: Floats
    """[tokens, letters]"""
    inserts: Floats
    """[tokens, letters], the letter put before the token's character."""
    deletes: Floats
    """[tokens]"""


def estimate_changes(spelling: Spelling, gradient: Floats, reader: CharacterReader) -> Estimates:
    """Return the directional derivatives of the loss along all changes of one character.

    A change is the sum of the flips it is made of: an insertion moves what stands behind it in the run by one, a
    deletion moves it back. The sum is divided by the length of that direction, the root of twice the number of
    tokens that become others.

    Args:
        spelling: The tokens.
        gradient: Of the loss by their one-hot vectors, [tokens, ids].
        reader: The net's alphabet.
    """
    ids, runs, rows = spelling.ids, spelling.runs, np.arange(len(spelling.ids))
    own = gradient[rows, ids]
    ends = np.append(runs[1:] != runs[:-1], True)[: len(ids)]
    following = np.where(ends, reader.pad, np.append(ids[1:], reader.pad)[: len(ids)])
    previous = np.concatenate(([reader.pad], ids))[: len(ids)]
    back, back_flips = gradient[rows, following] - own, following != ids
    on, on_flips = gradient[rows, previous] - own, previous != ids
    moved, moved_flips = _from_here_on(on, ends) - on, _from_here_on(on_flips, ends) - on_flips

    # A letter that stands there already is no flip; what an insertion moves behind it may be.
    same = np.nonzero(ids[:, None] == reader.letter_ids)
    flips = gradient[:, reader.letter_ids] - own[:, None]
    inserts = (flips + moved.astype(np.float32)[:, None]) * _per_length(moved_flips + 1)[:, None]
    inserts[same] = _along(moved, moved_flips)[same[0]]
    flips *= _per_length(np.ones(1))
    flips[same] = -np.inf
    return Estimates(flips, inserts, _along(_from_here_on(back, ends), _from_here_on(back_flips, ends)))


def is_no_word(ask: Ask, word: str) -> bool:
    """Whether a word, in any case, is neither in the victim's vocabulary nor, where it has none, a common word."""
    return not (ask.knows(word) if ask.vocabulary else word in counter_fitted())


def _from_here_on(values: Floats | NDArray[np.bool_], ends: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the sums of the values from each token to the end of its run."""
    sums = np.cumsum(values[::-1], dtype=np.float64)[::-1]
    last = np.flatnonzero(ends)
    behind = np.append(sums, 0.0)[last + 1]
    return np.asarray(sums - np.repeat(behind, np.diff(last, prepend=-1)))


def _per_length(flips: NDArray[np.float64]) -> Floats:
    return np.asarray(1 / np.sqrt(2 * flips), dtype=np.float32)


def _along(sums: NDArray[np.float64], flips: NDArray[np.float64]) -> Floats:
    return np.asarray(np.where(flips > 0, sums / np.sqrt(2 * np.maximum(flips, 1)), -np.inf), dtype=np.float32)


def _descending(scores: Floats) -> Iterator[tuple[float, int]]:
    """Yield finite scores with their numbers, the largest first, ties by number.

    Scores are rounded to a ten-thousandth of their range, below which they move with the batch's shape. Mostly the
    first few are enough, so at first only those are sorted that are among the best of their blocks.
    """
    blocks = np.full((-(-len(scores) // _BLOCK), _BLOCK), -np.inf, dtype=np.float32)
    blocks.ravel()[: len(scores)] = scores
    tops = np.sort(blocks.max(axis=1))
    finite = tops[np.isfinite(tops)]
    if not len(finite):
        return
    decimals = _DIGITS - int(np.floor(np.log10(max(np.abs(finite).max(), _LEAST))))
    looks, done = (finite[max(0, len(finite) - _FIRST_LOOK)], -np.finfo(np.float32).max), 0
    for least in looks:
        chosen = np.flatnonzero(scores >= least)
        rounded = np.round(scores[chosen].astype(np.float64), decimals)
        order = np.argsort(-rounded, kind="stable")[done:]
        yield from zip(rounded[order].tolist(), chosen[order].tolist(), strict=True)
        done = len(chosen)
