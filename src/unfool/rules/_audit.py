"""An audit: which biases of a data set a model has learned, by the words that flip it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import pyarrow.compute as pc

from unfool import data as data_room
from unfool.attacks.parts.propose import in_case_of
from unfool.rules._book import Rule
from unfool.rules._mine import MinedRules
from unfool.rules._salience import RuleFilter, SelectedRule, around, pmi_salience, select_rules
from unfool.rules._trial import MiningFigures
from unfool.stats import Rate, fisher_less

_FEWEST_TEXTS = 5
"""Texts in which the model must be right before a rule says anything about it: of two, one flips by accident."""
_CHANCE = 0.025
"""Of either direction, as a 95 % interval leaves on either side."""


class Explanation(StrEnum):
    """What the data has to say about a change that flips the model."""

    LEARNED = "learned"
    """The data leans the same way beyond chance: the model has learned a bias of the data."""
    UNSEEN = "unseen"
    """The data never shows the new word: the model has nothing to go by."""
    AGAINST = "against"
    """The data would show it if it leaned this way, and does not: the bias is the model's own."""
    RARE = "too rare to tell"
    """The words occur too rarely for the data to say."""
    FEW = "too few flips to tell"
    """The model was tried on too few texts with the word, or flips no oftener than by any replacement."""


class FlippedText(NamedTuple):
    """A text that one word flips: what stands before and after the word in its field, and both words as written."""

    id: int
    before: str
    word: str
    substitute: str
    after: str


@dataclass(frozen=True)
class FlippingRule:
    """One rule that flips the model, with its explanation and examples."""

    rule: Rule
    explanation: Explanation
    pmi_salience: float
    """What counts of words alone would give the rule; see `pmi_salience`."""
    label_name: str
    """The label as the model calls it."""
    seen: tuple[tuple[int, ...], tuple[int, ...]]
    """How often the data has the word, and its substitute, with each label."""
    others: tuple[str, ...]
    """Other substitutes with the same explanation that flip the model, the surest first."""
    examples: tuple[FlippedText, ...]
    evidence: str
    """The explanation in words, or why there is none."""

    @property
    def rate(self) -> Rate:
        """Flips out of the places where the model was right before."""
        return self.rule.rate

    def to_json(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            **self.rule.to_json(),
            "rate": self.rate.to_dict(),
            "grounds": str(self.explanation),
            "evidence": self.evidence,
            "pmi_salience": self.pmi_salience,
            "label_name": self.label_name,
            "seen": {"word": self.seen[0], "substitute": self.seen[1]},
            "others": list(self.others),
            "examples": [example._asdict() for example in self.examples],
        }


@dataclass(frozen=True)
class Audit:
    """What an audit has found.

    Attributes:
        victim: The model.
        data: The texts' data set.
        split: Its split.
        labels: The labels as the data calls them, or as the model does if the data only numbers them.
        figures: How many texts and replacements were tried.
        rules: How many different rules flip the model somewhere.
        findings: The rules to look at: those learned from the data first, then the surest.
    """

    victim: str
    data: str
    split: str | None
    labels: tuple[str, ...]
    figures: MiningFigures
    rules: int
    any_replacement: Rate
    """How often any replacement at all flips: the flips of all rules out of all their places."""
    findings: tuple[FlippingRule, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            "victim": self.victim,
            "data": self.data,
            "split": self.split,
            "labels": list(self.labels),
            **self.figures._asdict(),
            "rules": self.rules,
            "any_replacement": self.any_replacement.to_dict(),
            "findings": [finding.to_json() for finding in self.findings],
        }


def find_biases(mined: MinedRules, most: int = 25, support: int = 2) -> Audit:
    """Judge the rules that flip the one model they were mined with: does the data account for each of them?

    Rules are grouped by word: first what the model has learned from the data, then words the data never shows, then
    the model's own whims, then words too rare to tell, then rules that flip too few texts to tell; in each, by how
    surely they flip, the lower end of the 95 % Wilson interval, then salience. A rule counts as evidence if the
    model was right in five texts or more and the interval lies above the rate at which any replacement flips.

    Args:
        mined: What mining with the model has found.
        most: How many words to report for each of the five explanations.
        support: Rules with fewer places where the model is right are left out.
    """
    texts, counts = mined.data, mined.counts
    by_chance = Rate(*(int(pc.sum(mined.rules[column]).as_py() or 0) for column in ("flips", "right")))
    flipping = mined.rules.filter(pc.field("flips") > 0)
    supported = flipping.filter(pc.field("right") >= support)
    every = RuleFilter(per_word=None, support=1, all=True)
    selected = select_rules(supported, texts, counts, [0], every)
    selected.sort(key=lambda found: (-found.rule.rate.interval[0], -found.rule.salience))
    grouped: dict[tuple[Explanation, str, str], list[SelectedRule]] = {}
    for found in selected:
        rule, label = found.rule, texts.labels.index(found.rule.label)
        with_label = (Rate(seen[label], sum(seen)) for seen in map(counts.by_label, (rule.word, rule.substitute)))
        explanation = Explanation.FEW if _too_few(rule.rate, by_chance) else _explain(*with_label)
        grouped.setdefault((explanation, rule.label, rule.word), []).append(found)
    chosen = [
        group
        for explanation in Explanation
        for group in [each for each in grouped.items() if each[0][0] is explanation][:most]
    ]
    only_numbers = all(label.isdigit() for label in texts.labels)
    names = mined.labels[: len(texts.labels)] if only_numbers else texts.labels
    findings = tuple(
        FlippingRule(
            rule,
            explanation,
            pmi_salience(list(rule.pmi.values()), texts.labels.index(rule.label)),
            names[texts.labels.index(rule.label)],
            (counts.by_label(rule.word), counts.by_label(rule.substitute)),
            tuple(other.rule.substitute for other in others),
            tuple(_flipped_text(texts, rule, *place) for place in flipped),
            _evidence(rule.rate, explanation, by_chance),
        )
        for (explanation, _, _), ((rule, flipped), *others) in chosen
    )
    return Audit(mined.models[0], texts.name, texts.split, names, mined.figures, len(flipping), by_chance, findings)


def _too_few(rate: Rate, by_chance: Rate) -> bool:
    return rate.of < _FEWEST_TEXTS or rate.interval[0] <= (by_chance.value or 0)


def _evidence(rate: Rate, explanation: Explanation, by_chance: Rate) -> str:
    if explanation is not Explanation.FEW:
        return str(explanation)
    if rate.of < _FEWEST_TEXTS:
        return f"seen in {rate.of} {'text' if rate.of == 1 else 'texts'} only: too few to tell"
    return f"not clearly oftener than any replacement ({by_chance.value:.1%})"


def _explain(word: Rate, substitute: Rate) -> Explanation:
    """Judge by how often the label is right in texts with each of the two words."""
    if not substitute.of:
        return Explanation.UNSEEN
    if _leans_less(substitute, word):
        return Explanation.LEARNED
    lean = word.count * substitute.of - substitute.count * word.of
    # With so few occurrences of the substitute, could any lean have shown?
    telling = _leans_less(Rate(0, substitute.of), word)
    return Explanation.AGAINST if _leans_less(word, substitute) or (lean <= 0 and telling) else Explanation.RARE


def _leans_less(less: Rate, more: Rate) -> bool:
    """Say whether the first share is below the second by more than chance gives."""
    return fisher_less(less, more) <= _CHANCE


def _flipped_text(texts: data_room.Dataset, rule: Rule, place: int, position: int) -> FlippedText:
    sample = texts[place]
    before, after = around(sample.text, position)
    word = sample.text.words[position]
    return FlippedText(sample.id, before, word, in_case_of(word, rule.substitute), after)
