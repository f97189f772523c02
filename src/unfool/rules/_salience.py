"""How well a rule works, by the models or by counts of words alone; and which of the mined rules to keep."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from unfool.data import Dataset
from unfool.rules._book import Association, Example, Rule
from unfool.rules._trial import COUNTS, DECIMALS, FLIPPED, KEYS, sum_column
from unfool.text import Sample, Text

_ROUNDED_TO = 3
"""Decimals of saliences and associations."""
_WINDOW = 6


class WordCounts:
    """How often each word occurs in the texts of each label, in any case.

    Args:
        samples: The texts; only words that may be edited count.
        labels: How many labels there are.
    """

    def __init__(self, samples: Iterable[Sample], labels: int) -> None:
        self._by_label = [Counter[str]() for _ in range(labels)]
        texts = 0
        for sample in samples:
            texts += 1
            text = sample.text
            self._by_label[sample.label].update(text.words[position].lower() for position in text.editable)
        self._pmi: dict[str, tuple[float, ...]] = {}
        self._in_label = [counts.total() for counts in self._by_label]
        self._words = sum(self._in_label)
        # What the paper's figures hold beyond the plain PMI: log2 of labels times words a text. It keeps pairs
        # that occur above those that never do, whose PMI is set to zero; all but the very rarest with a label.
        self._lift = math.log2(labels * self._words / texts) if self._words else 0.0

    def by_label(self, word: str) -> tuple[int, ...]:
        """Return how often a word occurs with each label."""
        return tuple(counts[word.lower()] for counts in self._by_label)

    def pmi(self, word: str, label: int) -> float:
        """Return the pointwise mutual information of a word and a label in bits, lifted as in the paper.

        The lift is the same for all pairs: log2 of (labels × words a text). A pair that never occurs has 0.
        """
        return self._with_each_label(word)[label]

    def associations(self, word: str, substitute: str) -> list[Association]:
        """Return the PMI of both words with each label."""
        both = zip(self._with_each_label(word), self._with_each_label(substitute), strict=True)
        return [Association(*pair) for pair in both]

    def _with_each_label(self, word: str) -> tuple[float, ...]:
        """Return a word's PMI with each label, kept: a word is in dozens of rules."""
        key = word.lower()
        if key not in self._pmi:
            counts = self.by_label(key)
            self._pmi[key] = tuple(
                round(math.log2(count * self._words / (sum(counts) * words)) + self._lift, _ROUNDED_TO)
                if count
                else 0.0
                for count, words in zip(counts, self._in_label, strict=True)
            )
        return self._pmi[key]


def pmi_salience(associations: Sequence[Association], label: int) -> float:
    """Return the salience that counts alone give a rule for texts of a label (the paper's Equation 2)."""
    changes = [after - before for before, after in associations]
    return round(sum(changes) - 2 * changes[label], _ROUNDED_TO)


class RuleFilter(NamedTuple):
    """Which rules are kept."""

    per_word: int | None = 1
    """At most so many substitutes for each word of a label, or all if None; applying uses the best alone."""
    support: int = 1
    """Rules with fewer places are left out."""
    all: bool = False
    """Whether rules that help the label are kept, too: salience zero or less."""


class SelectedRule(NamedTuple):
    """A rule, and the first places it flips: place in the data, and position in the text."""

    rule: Rule
    flipped: list[tuple[int, int]]


def select_rules(
    table: pa.Table, data: Dataset, counts: WordCounts, models: Sequence[int], kept: RuleFilter
) -> list[SelectedRule]:
    """Return the rules of `Parts.rules` that are kept, the best first.

    The mean of the models with these numbers counts; with none, counts of words alone decide.
    """
    table = table.filter(pc.field("support") >= max(1, kept.support))
    saliences = _saliences(table, models) if models else _saliences_by_counts(table, counts, len(data.labels))
    # Labels are sorted by name, as rules that are read from a file are.
    names = np.array(sorted(range(len(data.labels)), key=data.labels.__getitem__)).argsort()
    table = table.append_column("salience", pa.array(saliences))
    table = table.append_column("name", pa.array(names[table["label"].to_numpy().astype(np.int64)]))
    if not kept.all:
        table = table.filter(pc.field("salience") > 0)
    table = table.sort_by(
        [("salience", "descending"), *((key, "ascending") for key in ("name", "word", "substitute"))]
    )
    if kept.per_word is not None:
        table = table.filter(pa.array(_rank_in_word(table) < kept.per_word))
    columns = (table[name].to_pylist() for name in (*KEYS, "salience", *COUNTS, FLIPPED))
    return [_selected(data, counts, *row) for row in zip(*columns, strict=True)]


def _saliences(table: pa.Table, models: Sequence[int]) -> NDArray[np.float64]:
    total = sum(table[sum_column(model)].to_numpy() for model in models)
    places = table["support"].to_numpy() * len(models) * 10**DECIMALS
    return np.asarray((total / places).round(_ROUNDED_TO))


def _saliences_by_counts(table: pa.Table, counts: WordCounts, labels: int) -> NDArray[np.float64]:
    """Do as `pmi_salience` does, for all rules at once."""
    before, after = (_associations(table[name], counts, labels) for name in ("word", "substitute"))
    changes = after - before
    own = np.take_along_axis(changes, table["label"].to_numpy().astype(np.int64)[:, None], axis=1)[:, 0]
    return np.asarray((changes.sum(axis=1) - 2 * own).round(_ROUNDED_TO))


def _associations(words: pa.ChunkedArray, counts: WordCounts, labels: int) -> NDArray[np.float64]:
    coded = words.combine_chunks().dictionary_encode()
    each = [[counts.pmi(word, label) for label in range(labels)] for word in coded.dictionary.to_pylist()]
    found: NDArray[np.float64] = np.array(each, dtype=np.float64).reshape(-1, labels)[coded.indices.to_numpy()]
    return found


def _rank_in_word(table: pa.Table) -> NDArray[np.intp]:
    """Return for each row how many rows of the same label and word stand before it."""
    words = table["word"].combine_chunks().dictionary_encode()
    group = table["label"].to_numpy().astype(np.int64) * max(1, len(words.dictionary)) + words.indices.to_numpy()
    order = group.argsort(kind="stable")
    _, start, size = np.unique(group[order], return_index=True, return_counts=True)
    rank = np.empty(len(group), dtype=np.intp)
    rank[order] = np.arange(len(group)) - start.repeat(size)
    return rank


def _selected(
    data: Dataset,
    counts: WordCounts,
    label: int,
    word: str,
    substitute: str,
    salience: float,
    support: int,
    right: int,
    flips: int,
    flipped: list[int] | None,
) -> SelectedRule:
    places = list(zip((flipped or [])[0::2], (flipped or [])[1::2], strict=True))
    pmi = dict(zip(data.labels, counts.associations(word, substitute), strict=True))
    example = None
    if places:
        place, position = places[0]
        example = Example(data[place].id, *around(data[place].text, position, _WINDOW))
    rule = Rule(data.labels[label], word, substitute, salience, support, right, flips, pmi, example)
    return SelectedRule(rule, places)


def around(text: Text, position: int, words: int | None = None) -> tuple[str, str]:
    """Return what stands before and after a word of a text in its field; some words of it, or all."""
    field = text.field_of(position)
    number = text.fields.index(field)
    start, end = text.spans[number][position - field.start]
    string = text.strings[number]
    first, last = 0, len(string)
    if words is not None and position - words > field.start:
        first = text.spans[number][position - words - field.start][0]
    if words is not None and position + words < field.stop - 1:
        last = text.spans[number][position + words - field.start][1]
    return ("… " if first else "") + string[first:start], string[end:last] + (" …" if last < len(string) else "")
