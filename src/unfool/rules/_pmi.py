"""How strongly words go with labels in a data set."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from unfool.rules._rule import Association
from unfool.text import Sample

_DECIMALS = 3


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
                round(math.log2(count * self._words / (sum(counts) * words)) + self._lift, _DECIMALS)
                if count
                else 0.0
                for count, words in zip(counts, self._in_label, strict=True)
            )
        return self._pmi[key]


def pmi_salience(associations: Sequence[Association], label: int) -> float:
    """Return the salience that counts alone give a rule for texts of a label (the paper's Equation 2)."""
    changes = [after - before for before, after in associations]
    return round(sum(changes) - 2 * changes[label], _DECIMALS)
