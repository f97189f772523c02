"""Search: the space of all texts that allowed substitutions make of one, as rows of numbers.

A row has a number for each word that may be replaced: 0 keeps the word, k puts its k-th substitute there. So a
whole population is one array, and thousands of candidates are made without touching a text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats
from unfool.text import Text, edit_distance

Genes = NDArray[np.int64]
Keys = NDArray[np.uint64]


class Space:
    """A text and what may stand in place of some of its words.

    Args:
        text: The text.
        substitutes: Words for each position; the word that stands there already is no substitute.
    """

    def __init__(self, text: Text, substitutes: Mapping[int, Sequence[str]]) -> None:
        self.text = text
        kept = {spot: [w for w in dict.fromkeys(ws) if w != text.words[spot]] for spot, ws in substitutes.items()}
        kept = {spot: words for spot, words in kept.items() if words}
        self.positions: Genes = np.array(list(kept), dtype=np.int64)
        self.counts: Genes = np.array([len(words) for words in kept.values()], dtype=np.int64)
        self.words = [word for words in kept.values() for word in words]
        self._first = np.cumsum(self.counts) - self.counts

    def __len__(self) -> int:
        return len(self.positions)

    def words_at(self, spots: Genes, choices: Genes) -> list[str]:
        """Return the substitutes with these numbers."""
        return [self.words[number] for number in (self._first[spots] + choices - 1).tolist()]

    def keys(self, genes: Genes) -> Keys:
        """Return a number for each row; equal rows have the same, different ones only by a rare chance."""
        return np.asarray(self.marks(np.arange(len(self)), genes).sum(axis=1, dtype=np.uint64))

    def marks(self, spots: Genes, choices: Genes) -> Keys:
        """Return what substitutes add to their row's key; keeping a word adds nothing."""
        return np.asarray(self._marks[np.where(choices, self._first[spots] + choices, 0)])

    def at(self, row: Genes) -> Text:
        """Return the text a row stands for."""
        spots = np.flatnonzero(row)
        if not len(spots):
            return self.text
        return self.text.replace_several(self.positions[spots].tolist(), self.words_at(spots, row[spots]))

    def choices(self, genes: Genes, spots: Genes) -> tuple[Genes, Genes]:
        """Return every other substitute at one spot of each row: the rows, and the numbers that may go there."""
        counts = self.counts[spots]
        rows = np.repeat(np.arange(len(genes)), counts)
        numbers = 1 + np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        new = numbers != genes[rows, spots[rows]]
        return rows[new], numbers[new]

    def words_changed(self, genes: Genes) -> Genes:
        """Count the words each row replaces."""
        return np.asarray(np.count_nonzero(genes, axis=1))

    def characters_changed(self, genes: Genes) -> Genes:
        """Count the characters each row changes, by edit distance."""
        chosen = self._distances[np.where(genes, self._first + genes, 0)]
        return np.asarray(chosen.sum(axis=1))

    @cached_property
    def _marks(self) -> Keys:
        # Sums of random numbers, as chess programs tell positions apart; the same ones in every run.
        drawn = np.random.default_rng(0).integers(1 << 64, size=len(self.words) + 1, dtype=np.uint64)
        drawn[0] = 0
        return drawn

    @cached_property
    def _distances(self) -> Genes:
        """How far each substitute is from its word, after a zero for keeping it."""
        originals = [self.text.words[spot] for spot in self.positions.repeat(self.counts)]
        return np.array([0, *map(edit_distance, originals, self.words)], dtype=np.int64)


class Memory:
    """Answers by key, kept and looked up many at once."""

    def __init__(self) -> None:
        self._slots: dict[int, int] = {}
        self._answers: list[Floats] = []

    def enter(self, keys: Keys) -> tuple[Genes, Genes]:
        """Return each key's slot, and the numbers of the new keys, each where it first stands.

        Who enters new keys gives their answers to `keep` next.
        """
        slots, before = self._slots, len(self._slots)
        found = np.array([slots.setdefault(key, len(slots)) for key in keys.tolist()], dtype=np.int64)
        # Slots are given one after the other: a key is new where its slot is above all that stand before it.
        highest = np.maximum.accumulate(np.concatenate([[before - 1], found]))[:-1]
        return found, np.flatnonzero(found > highest)

    def keep(self, answers: Floats) -> None:
        """Take the answers to the keys that were new."""
        self._answers = [np.concatenate([*self._answers, answers])]

    def answers(self, slots: Genes) -> Floats:
        """Return the answers in these slots."""
        return np.asarray(self._answers[0][slots])
