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
_FIRST_LOOK = 64
_DIGITS = 4


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
        there = np.isin(words, text.editable) & (places >= 0)
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
        rounded = _rounded(scores)
        for number in _descending(rounded):
            yield float(rounded[number]), *self[number]


class Estimates(NamedTuple):
    """How fast the loss grows along each change, one row a token; minus infinity where nothing would change."""

    flips: NDArray[np.float64]
    """[tokens, letters]"""
    inserts: NDArray[np.float64]
    """[tokens, letters], the letter put before the token's character."""
    deletes: NDArray[np.float64]
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
    slopes = gradient.astype(np.float64)
    own = slopes[rows, ids]
    ends = np.append(runs[1:] != runs[:-1], True)[: len(ids)]
    following = np.where(ends, reader.pad, np.append(ids[1:], reader.pad)[: len(ids)])
    previous = np.insert(ids[:-1], 0, reader.pad)[: len(ids)]
    back, back_flips = slopes[rows, following] - own, following != ids
    on, on_flips = slopes[rows, previous] - own, previous != ids

    letters = reader.letter_ids
    flips, differ = slopes[:, letters] - own[:, None], letters != ids[:, None]
    moved = _from_here_on(on, ends) - on
    moved_flips = _from_here_on(on_flips, ends) - on_flips
    return Estimates(
        _per_length(flips, differ.astype(np.float64)),
        _per_length(flips + moved[:, None], differ + moved_flips[:, None]),
        _per_length(_from_here_on(back, ends), _from_here_on(back_flips, ends)),
    )


def is_no_word(ask: Ask, word: str) -> bool:
    """Whether a word, in any case, is neither in the victim's vocabulary nor, where it has none, a common word."""
    return not (ask.knows(word) if ask.vocabulary else word in counter_fitted())


def _from_here_on(values: NDArray[np.float64] | NDArray[np.bool_], ends: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the sums of the values from each token to the end of its run."""
    sums = np.cumsum(values[::-1], dtype=np.float64)[::-1]
    last = np.flatnonzero(ends)
    behind = np.append(sums, 0.0)[last + 1]
    return np.asarray(sums - np.repeat(behind, np.diff(last, prepend=-1)))


def _per_length(sums: NDArray[np.float64], flips: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(flips > 0, sums / np.sqrt(2 * np.maximum(flips, 1)), -np.inf)


def _rounded(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to four digits of the largest, below which scores move with the batch's shape."""
    largest = np.abs(scores[np.isfinite(scores)]).max(initial=0.0)
    return np.round(scores, _DIGITS - int(np.floor(np.log10(largest)))) if largest else scores


def _descending(scores: NDArray[np.float64]) -> Iterator[int]:
    """Yield the numbers of finite scores, the largest first, ties by number; mostly the first few are enough."""
    finite, done, size = int(np.isfinite(scores).sum()), 0, _FIRST_LOOK
    while done < finite:
        size = min(size, finite)
        least = np.partition(scores, len(scores) - size)[len(scores) - size]
        chosen = np.flatnonzero(scores >= least)
        order = chosen[np.argsort(-scores[chosen], kind="stable")]
        yield from order[done:].tolist()
        done, size = len(order), 8 * size
