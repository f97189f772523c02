"""What the texts of a stretch say about rules: counts and sums, exact, so that the order of adding never shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from unfool.engine import answered_labels
from unfool.rules._candidates import candidates
from unfool.rules._scores import Members, Scores
from unfool.text import Sample

DECIMALS = 7
"""Differences of scores are added up as whole numbers of 10 to the minus this."""
FLIPS_KEPT = 3
KEYS = ("label", "word", "substitute")
COUNTS = ("support", "right", "flips")
FLIPPED = "flipped"


class Placed(NamedTuple):
    """A sample and its place in the data set."""

    place: int
    sample: Sample


class Told(NamedTuple):
    """Figures of a stretch beside its rules."""

    texts: int = 0
    answered: int = 0
    """Texts that every model gave an answer about as they are."""
    right: int = 0
    """Texts the models have right."""
    flipped: int = 0
    """Those of them that some replacement of one word flips."""
    replacements: int = 0
    unanswered: int = 0
    """Replacements a model gave no answer about; they count nowhere."""


def sum_column(member: int) -> str:
    """Return the name of the column that holds a member's sums."""
    return f"sum_{member}"


class Tally:
    """Tries every replacement in every text of a stretch; models on a device are under way when it is made.

    Args:
        members: The models.
        stretch: The texts.
    """

    def __init__(self, members: Members, stretch: Sequence[Placed]) -> None:
        self._stretch, self._found = stretch, [candidates(one.sample.text) for one in stretch]
        asked = [each.variants for each in self._found]
        self._pending = members.launch(asked) if members.victims else None
        self._scores: Scores | None = None
        sizes = np.array([len(variants) for variants in asked], dtype=np.int64)
        # The first row of a sample is its own text.
        starts = np.cumsum(sizes) - sizes
        self._base = np.repeat(starts, sizes)
        self._owner = np.repeat(np.arange(len(asked)), sizes)
        self._changed = np.ones(int(sizes.sum()), dtype=bool)
        self._changed[starts] = False
        self._starts = starts

    def result(self) -> tuple[pa.Table, Told]:
        """Wait for the models.

        Returns:
            A row for each rule with its counts, each member's sum and the first places it flips; and the figures.
        """
        self._scores = self._pending.result() if self._pending else None
        labels = np.array([one.sample.label for one in self._stretch], dtype=np.int64)
        usable = self._changed.copy()
        if self._scores is not None:
            usable &= self._scores.answered & self._scores.answered[self._base]
        rows = np.flatnonzero(usable)
        if self._scores is not None and self._scores.problem and not len(rows):
            raise self._scores.problem
        rules: dict[tuple[int, str, str], int] = {}
        label_of = labels[self._owner[self._changed]].tolist()
        words = [word for each in self._found for word in each.words]
        substitutes = [word for each in self._found for word in each.substitutes]
        every = [rules.setdefault(rule, len(rules)) for rule in zip(label_of, words, substitutes, strict=True)]
        rule_of_row = np.full(len(self._changed), -1, dtype=np.int64)
        rule_of_row[self._changed] = every
        which = rule_of_row[rows]
        right, flips, sums = self._judged(rows)
        columns: dict[str, pa.Array] = dict(
            zip(KEYS, map(pa.array, zip(*rules, strict=True)), strict=True)
            if rules
            else zip(KEYS, (pa.array([], pa.int64()), *[pa.array([], pa.string())] * 2), strict=True)
        )
        for name, added in zip(COUNTS, (np.ones(len(rows), dtype=np.int64), right, flips), strict=True):
            columns[name] = pa.array(_added(which, added, len(rules)))
        columns[FLIPPED] = self._flipped(rows[flips > 0], which[flips > 0], len(rules))
        for member, each in enumerate(sums):
            columns[sum_column(member)] = pa.array(_added(which, each, len(rules)))
        return pa.table(columns), self._told(rows, flips)

    def _judged(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Say for each replacement whether the models were right before, whether it flips them, and its score."""
        if self._scores is None:
            nothing = np.zeros(len(rows), dtype=np.int64)
            return nothing, nothing, np.zeros((0, len(rows)), dtype=np.int64)
        values = self._scores.values
        gold = np.array([one.sample.label for one in self._stretch], dtype=np.int64)[self._owner]
        # The gold label's score counts for it, all others against: Figure 2's two cases in one sum.
        margins = 2 * np.take_along_axis(values, gold[None, :, None], axis=2)[..., 0] - values.sum(axis=2)
        lost = margins[:, self._base[rows]] - margins[:, rows]
        answers = answered_labels(values.mean(axis=0), gold)
        right = answers[self._base[rows]] == gold[rows]
        flips = right & (answers[rows] != gold[rows])
        return right.astype(np.int64), flips.astype(np.int64), np.rint(lost * 10**DECIMALS).astype(np.int64)

    def _flipped(self, rows: NDArray[np.intp], which: NDArray[np.int64], rules: int) -> pa.Array:
        """Return for each rule the first places it flips, each as place in the data and position in the text."""
        kept: list[list[int]] = [[] for _ in range(rules)]
        for row, rule in zip(rows.tolist(), which.tolist(), strict=True):
            if len(kept[rule]) < 2 * FLIPS_KEPT:
                owner = int(self._owner[row])
                position = self._found[owner].variants.positions[row - int(self._starts[owner])]
                kept[rule] += [self._stretch[owner].place, position]
        return pa.array(kept, pa.list_(pa.int64()))

    def _told(self, rows: NDArray[np.intp], flips: NDArray[np.int64]) -> Told:
        texts, replacements = len(self._stretch), int(self._changed.sum())
        if self._scores is None:
            return Told(texts, texts, replacements=replacements)
        gold = np.array([one.sample.label for one in self._stretch], dtype=np.int64)
        answers = answered_labels(self._scores.values[:, self._starts].mean(axis=0), gold)
        answered = self._scores.answered[self._starts]
        right = (answers == gold) & answered
        flipped = len(np.unique(self._owner[rows[flips > 0]]))
        missing = replacements - len(rows)
        return Told(texts, int(answered.sum()), int(right.sum()), flipped, replacements, missing)


def _added(which: NDArray[np.int64], values: NDArray[np.int64], rules: int) -> NDArray[np.int64]:
    total = np.zeros(rules, dtype=np.int64)
    np.add.at(total, which, values)
    return total
