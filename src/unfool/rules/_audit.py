"""An audit: which biases of a data set a model has learned, told by the words that flip it."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow.compute as pc

from unfool import data as data_room
from unfool.attacks.parts import in_case_of
from unfool.rules._found import Audit, Finding, Grounds, Shown
from unfool.rules._lean import could_lean_less, leans_less
from unfool.rules._mine import Mined
from unfool.rules._pmi import pmi_salience
from unfool.rules._rule import Rule
from unfool.rules._select import Found, Kept, around, select_rules
from unfool.stats import Rate

_FEWEST_TEXTS = 5
"""Texts in which the model must be right before a rule says anything about it: of two, one flips by accident."""


def find_biases(mined: Mined, most: int = 25, support: int = 2) -> Audit:
    """Judge the rules that flip the one model they were mined with: does the data account for each of them?

    Rules are grouped by word: first what the model has learned from the data, then words the data never shows, then
    the model's own whims, then words too rare to tell, then rules that flip too few texts to tell; in each, by how
    surely they flip, the lower end of the 95 % Wilson interval, then salience. A rule counts as evidence where the
    model was right in five texts or more and the interval lies above the rate at which any replacement flips.

    Args:
        mined: What mining with the model has found.
        most: How many words to report on each of the five grounds.
        support: Rules with fewer places where the model is right are left out.
    """
    texts = mined.data
    counts = mined.counts
    by_chance = Rate(*(int(pc.sum(mined.rules[column]).as_py() or 0) for column in ("flips", "right")))
    flipping = mined.rules.filter(pc.field("flips") > 0)
    sure = select_rules(
        flipping.filter(pc.field("right") >= support), texts, counts, [0], Kept(per_word=None, support=1, all=True)
    )
    sure.sort(key=lambda found: (-_rate(found.rule).interval[0], -found.rule.salience))
    grouped: dict[tuple[Grounds, str, str], list[Found]] = {}
    for found in sure:
        rule = found.rule
        label = texts.labels.index(rule.label)
        shares = (_share(counts.by_label(word), label) for word in (rule.word, rule.substitute))
        grounds = Grounds.FEW if _too_few(_rate(rule), by_chance) else _grounds(*shares)
        grouped.setdefault((grounds, rule.label, rule.word), []).append(found)
    chosen = [
        group for grounds in Grounds for group in [each for each in grouped.items() if each[0][0] is grounds][:most]
    ]
    names = _names(texts.labels, mined.labels)
    findings = tuple(
        Finding(
            rule,
            _rate(rule),
            grounds,
            _by_counts(rule, texts.labels),
            names[texts.labels.index(rule.label)],
            (counts.by_label(rule.word), counts.by_label(rule.substitute)),
            tuple(other.rule.substitute for other in others),
            tuple(_example(texts, rule, *place) for place in flipped),
            _evidence(_rate(rule), grounds, by_chance),
        )
        for (grounds, _, _), ((rule, flipped), *others) in chosen
    )
    return Audit(mined.members[0], texts.name, texts.split, names, mined.told, len(flipping), by_chance, findings)


def _too_few(rate: Rate, by_chance: Rate) -> bool:
    return rate.of < _FEWEST_TEXTS or rate.interval[0] <= (by_chance.value or 0)


def _evidence(rate: Rate, grounds: Grounds, by_chance: Rate) -> str:
    if grounds is not Grounds.FEW:
        return str(grounds)
    if rate.of < _FEWEST_TEXTS:
        return f"seen in {rate.of} {'text' if rate.of == 1 else 'texts'} only: too few to tell"
    return f"not clearly oftener than any replacement ({by_chance.value:.1%})"


def _by_counts(rule: Rule, labels: Sequence[str]) -> float:
    return pmi_salience(list(rule.pmi.values()), labels.index(rule.label))


def _rate(rule: Rule) -> Rate:
    return Rate(rule.flips, rule.right)


def _names(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels as the model calls them, where the data has but numbers for them."""
    return theirs[: len(ours)] if all(label.isdigit() for label in ours) else ours


def _share(by_label: Sequence[int], label: int) -> Rate:
    return Rate(by_label[label], sum(by_label))


def _grounds(word: Rate, substitute: Rate) -> Grounds:
    """Judge by how often the data has the label where it has each of the words."""
    if not substitute.of:
        return Grounds.UNSEEN
    if leans_less(substitute, word):
        return Grounds.LEARNED
    lean = word.count * substitute.of - substitute.count * word.of
    if leans_less(word, substitute) or (lean <= 0 and could_lean_less(substitute, word)):
        return Grounds.AGAINST
    return Grounds.RARE


def _example(texts: data_room.Dataset, rule: Rule, place: int, position: int) -> Shown:
    sample = texts[place]
    before, after = around(sample.text, position)
    word = sample.text.words[position]
    return Shown(sample.id, before, word, in_case_of(word, rule.substitute), after)
