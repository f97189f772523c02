"""What an audit finds, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from unfool.rules._file import plain_rule
from unfool.rules._rule import Rule
from unfool.rules._tally import Told
from unfool.stats import Rate


class Grounds(StrEnum):
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


class Shown(NamedTuple):
    """A text that one word flips: what stands before and after the word in its field, and both words as written."""

    id: int
    before: str
    word: str
    substitute: str
    after: str


@dataclass(frozen=True)
class Finding:
    """One rule that flips the model, with its grounds and examples."""

    rule: Rule
    rate: Rate
    """Flips out of the places where the model was right before."""
    grounds: Grounds
    pmi_salience: float
    """What counts of words alone would give the rule; see `pmi_salience`."""
    label_name: str
    """The label as the model calls it."""
    seen: tuple[tuple[int, ...], tuple[int, ...]]
    """How often the data has the word, and its substitute, with each label."""
    others: tuple[str, ...]
    """Other substitutes on the same grounds that flip the model, the surest first."""
    examples: tuple[Shown, ...]
    evidence: str
    """What the finding rests on, in words: the grounds, or why there are none."""


@dataclass(frozen=True)
class Audit:
    """What an audit has found.

    Attributes:
        victim: The model.
        data: The texts' data set.
        split: Its split.
        labels: The labels as the model calls them, in the order of the data's.
        told: Figures about the texts.
        rules: How many different rules flip the model somewhere.
        findings: The rules to look at: those learned from the data first, then the surest.
    """

    victim: str
    data: str
    split: str | None
    labels: tuple[str, ...]
    told: Told
    rules: int
    any_replacement: Rate
    """How often any replacement at all flips: the flips of all rules out of all their places."""
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            "victim": self.victim,
            "data": self.data,
            "split": self.split,
            "labels": list(self.labels),
            **self.told._asdict(),
            "rules": self.rules,
            "any_replacement": self.any_replacement.to_dict(),
            "findings": [_plain(finding) for finding in self.findings],
        }


def _plain(finding: Finding) -> dict[str, Any]:
    return {
        **plain_rule(finding.rule),
        "rate": finding.rate.to_dict(),
        "grounds": str(finding.grounds),
        "evidence": finding.evidence,
        "pmi_salience": finding.pmi_salience,
        "label_name": finding.label_name,
        "seen": {"word": finding.seen[0], "substitute": finding.seen[1]},
        "others": list(finding.others),
        "examples": [example._asdict() for example in finding.examples],
    }
