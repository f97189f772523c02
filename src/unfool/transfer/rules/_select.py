"""From sums over all texts to rules with their salience, associations and examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unfool.data import Dataset
from unfool.text import Text
from unfool.transfer.rules._parts import Parts
from unfool.transfer.rules._pmi import WordCounts, pmi_salience
from unfool.transfer.rules._rule import Example, Rule, best_first
from unfool.transfer.rules._tally import COUNTS, DECIMALS, KEYS, sum_column

_SALIENCE_DECIMALS = 3
_WINDOW = 6


class Kept(NamedTuple):
    """Which rules are kept."""

    per_word: int | None = 1
    """At most so many substitutes for each word of a label, all where None; applying uses the best alone."""
    support: int = 1
    """Rules with fewer places are left out."""
    all: bool = False
    """Whether rules that help the label are kept, too: salience zero or less."""


def select_rules(
    parts: Parts, data: Dataset, counts: WordCounts, members: Sequence[int], of: int, kept: Kept
) -> list[Rule]:
    """Return the rules of some of the models, the best first.

    Args:
        parts: What mining has done.
        data: What was mined.
        counts: How often words occur in the whole data set.
        members: The models whose mean counts; by the counts alone where there are none.
        of: How many models were asked.
        kept: Which rules are kept.
    """
    table = parts.rules(of)
    labels, words, substitutes = (table[name].to_pylist() for name in KEYS)
    supports, rights, flips = (table[name].to_pylist() for name in COUNTS)
    if members:
        total = sum(table[sum_column(member)].to_numpy() for member in members)
        places = np.maximum(table["support"].to_numpy(), 1) * len(members) * 10**DECIMALS
        saliences = (total / places).round(_SALIENCE_DECIMALS).tolist()
    else:
        saliences = [
            pmi_salience(counts.associations(word, new), label)
            for label, word, new in zip(labels, words, substitutes, strict=True)
        ]
    rows = zip(labels, words, substitutes, saliences, supports, rights, flips, strict=True)
    found = [
        Rule(data.labels[label], word, new, salience, support, right, flipped)
        for label, word, new, salience, support, right, flipped in rows
        if support >= max(1, kept.support) and (kept.all or salience > 0)
    ]
    return _told_more(_best_of_each_word(best_first(found), kept.per_word), parts, data, counts)


def _best_of_each_word(rules: Sequence[Rule], most: int | None) -> list[Rule]:
    taken: dict[tuple[str, str], int] = {}
    chosen = []
    for rule in rules:
        key = (rule.label, rule.word)
        taken[key] = taken.get(key, 0) + 1
        if most is None or taken[key] <= most:
            chosen.append(rule)
    return chosen


def _told_more(rules: Sequence[Rule], parts: Parts, data: Dataset, counts: WordCounts) -> list[Rule]:
    """Add associations and examples."""
    number = {label: place for place, label in enumerate(data.labels)}
    keys = [(number[rule.label], rule.word, rule.substitute) for rule in rules]
    flipped = parts.flipped({key for key, rule in zip(keys, rules, strict=True) if rule.flips}, most=1)
    told = []
    for key, rule in zip(keys, rules, strict=True):
        pmi = dict(zip(data.labels, counts.associations(rule.word, rule.substitute), strict=True))
        places = flipped.get(key)
        told.append(replace(rule, pmi=pmi, example=_example(data, *places[0]) if places else None))
    return told


def _example(data: Dataset, place: int, position: int) -> Example:
    sample = data[place]
    before, after = around(sample.text, position, _WINDOW)
    return Example(sample.id, before, after)


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
