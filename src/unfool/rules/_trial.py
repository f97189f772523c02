"""Try every replacement in a stretch of texts, and add up what each rule does to the models.

Counts and sums are exact, so that the order of adding never shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from unfool.attacks.parts.propose import in_case_of, tag_text, word_synonyms
from unfool.engine import answered_labels
from unfool.rules._scores import Scores, ScoringModels
from unfool.text import UNCHANGED, Sample, Text, Variants

DECIMALS = 7
"""Differences of scores are added up as whole numbers of 10 to the minus this."""
FLIPS_KEPT = 3
KEYS = ("label", "word", "substitute")
COUNTS = ("support", "right", "flips")
FLIPPED = "flipped"


class Replacements(NamedTuple):
    """A text, first as it is and then with one word replaced: WordNet synonyms of the word's part of speech."""

    variants: Variants
    words: list[str]
    """For each replacement, the word in lower case."""
    substitutes: list[str]
    """For each replacement, the new word as WordNet spells it."""


def replacements(text: Text) -> Replacements:
    """Return what may replace the words of a text, in order of position."""
    tags = tag_text(text)
    positions, new = [UNCHANGED], [""]
    words: list[str] = []
    substitutes: list[str] = []
    for position in text.editable:
        word = text.words[position]
        lower = word.lower()
        found = word_synonyms(lower, tags[position])
        if found:
            positions += [position] * len(found)
            new += found if word == lower else [in_case_of(word, synonym) for synonym in found]
            words += [lower] * len(found)
            substitutes += found
    return Replacements(Variants((text,), [0] * len(positions), positions, new), words, substitutes)


class PlacedSample(NamedTuple):
    """A sample and its place in the data set."""

    place: int
    sample: Sample


class MiningFigures(NamedTuple):
    """How many texts and replacements were tried, beside what came of each rule."""

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


def sum_column(model: int) -> str:
    """Return the name of the column that holds a model's sums."""
    return f"sum_{model}"


class StretchTrial:
    """Tries every replacement in every text of a stretch; models on a device are under way when it is made.

    Args:
        models: The models; none if only places are counted.
        stretch: The texts.
    """

    def __init__(self, models: ScoringModels, stretch: Sequence[PlacedSample]) -> None:
        self._stretch, self._found = stretch, [replacements(one.sample.text) for one in stretch]
        asked = [each.variants for each in self._found]
        self._pending = models.launch(asked) if models.victims else None
        self._scores: Scores | None = None
        self._gold = np.array([one.sample.label for one in stretch], dtype=np.int64)
        sizes = np.array([len(variants) for variants in asked], dtype=np.int64)
        # The first row of a sample is its own text.
        self._starts = np.cumsum(sizes) - sizes
        self._base = np.repeat(self._starts, sizes)
        self._owner = np.repeat(np.arange(len(asked)), sizes)
        self._changed = np.ones(int(sizes.sum()), dtype=bool)
        self._changed[self._starts] = False

    def result(self) -> tuple[pa.Table, MiningFigures]:
        """Wait for the models.

        Returns:
            A row for each rule with its counts, each model's sum and the first places it flips; and the figures.
        """
        self._scores = self._pending.result() if self._pending else None
        usable = self._changed.copy()
        if self._scores is not None:
            usable &= self._scores.answered & self._scores.answered[self._base]
        rows = np.flatnonzero(usable)
        if self._scores is not None and self._scores.problem and not len(rows):
            raise self._scores.problem
        rules, rule_of_row = self._rules()
        which = rule_of_row[rows]
        right, flips, sums = self._judged(rows)
        keys = zip(*rules, strict=True) if rules else ([], [], [])
        kinds = (pa.int64(), pa.string(), pa.string())
        columns = {name: pa.array(key, kind) for name, key, kind in zip(KEYS, keys, kinds, strict=True)}
        for name, added in zip(COUNTS, (np.ones(len(rows), dtype=np.int64), right, flips), strict=True):
            columns[name] = pa.array(_sum_by_rule(which, added, len(rules)))
        columns[FLIPPED] = self._flipped(rows[flips > 0], which[flips > 0], len(rules))
        for model, each in enumerate(sums):
            columns[sum_column(model)] = pa.array(_sum_by_rule(which, each, len(rules)))
        return pa.table(columns), self._figures(rows, flips)

    def _rules(self) -> tuple[dict[tuple[int, str, str], int], NDArray[np.int64]]:
        """Number the rules of the stretch, and return the rule of each row; -1 for a text as it is."""
        numbers: dict[tuple[int, str, str], int] = {}
        labels = self._gold[self._owner[self._changed]].tolist()
        words = [word for each in self._found for word in each.words]
        substitutes = [word for each in self._found for word in each.substitutes]
        rule_of_row = np.full(len(self._changed), -1, dtype=np.int64)
        rule_of_row[self._changed] = [
            numbers.setdefault(rule, len(numbers)) for rule in zip(labels, words, substitutes, strict=True)
        ]
        return numbers, rule_of_row

    def _judged(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Say for each replacement whether the models were right before, whether it flips them, and its score."""
        if self._scores is None:
            nothing = np.zeros(len(rows), dtype=np.int64)
            return nothing, nothing, np.zeros((0, len(rows)), dtype=np.int64)
        values, gold = self._scores.values, self._gold[self._owner]
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

    def _figures(self, rows: NDArray[np.intp], flips: NDArray[np.int64]) -> MiningFigures:
        texts, tried = len(self._stretch), int(self._changed.sum())
        if self._scores is None:
            return MiningFigures(texts, texts, replacements=tried)
        answers = answered_labels(self._scores.values[:, self._starts].mean(axis=0), self._gold)
        answered = self._scores.answered[self._starts]
        right = (answers == self._gold) & answered
        flipped = len(np.unique(self._owner[rows[flips > 0]]))
        return MiningFigures(texts, int(answered.sum()), int(right.sum()), flipped, tried, tried - len(rows))


def _sum_by_rule(which: NDArray[np.int64], values: NDArray[np.int64], rules: int) -> NDArray[np.int64]:
    total = np.zeros(rules, dtype=np.int64)
    np.add.at(total, which, values)
    return total
