"""The figures of a run label by label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from unfool.engine import NOTHING_PROPOSED, Outcome, Status
from unfool.stats import Rate


class ClassFigures(NamedTuple):
    """The figures of the texts that have one right label.

    Attributes:
        label: The number of the label, as the victim has it.
        samples: Samples with an outcome: skipped and attacked.
        skipped: Samples that were not attacked.
        attacked: Samples that were.
        successes: Attacked samples on which the victim was fooled.
        clean_accuracy: Of the samples, those the victim has right before any attack.
        success_rate: Of the attacked samples, the successes.
        answers: How often the victim gave each label before any attack, by the label's number.
        untried: Attacked samples for which the attack proposed no change.
    """

    label: int
    samples: int
    skipped: int
    attacked: int
    successes: int
    clean_accuracy: Rate
    success_rate: Rate
    answers: Mapping[int, int]
    untried: int

    @property
    def success_rate_tried(self) -> Rate:
        """Of the attacked samples on which something was tried, the successes."""
        return Rate(self.successes, self.attacked - self.untried)

    @property
    def telling(self) -> bool:
        """Whether the success rate speaks of the victim: not where most samples had nothing tried on them."""
        return 2 * self.untried <= self.attacked

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a JSON file; a success rate that tells nothing is None."""
        success = self.success_rate.to_dict() | ({} if self.telling else dict.fromkeys(("value", "low", "high")))
        return {**self._asdict(), "clean_accuracy": self.clean_accuracy.to_dict(), "success_rate": success}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> ClassFigures:
        """Return the figures `to_dict` described."""
        rates = {name: Rate(plain[name]["count"], plain[name]["of"]) for name in ("clean_accuracy", "success_rate")}
        answers = {int(label): times for label, times in plain["answers"].items()}
        return cls(**{**{name: plain[name] for name in cls._fields}, **rates, "answers": answers})


@dataclass
class ClassCounts:
    """Counts the outcomes of one right label."""

    skipped: int = 0
    attacked: int = 0
    successes: int = 0
    untried: int = 0
    answers: Counter[int] = field(default_factory=Counter)

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self.answers[outcome.before.label] += 1
        self.skipped += outcome.status is Status.SKIPPED
        self.attacked += outcome.status is not Status.SKIPPED
        self.successes += outcome.status is Status.SUCCESS
        self.untried += outcome.reason == NOTHING_PROPOSED

    def figures(self, label: int) -> ClassFigures:
        """Return the figures, given the number of the label."""
        samples = self.answers.total()
        return ClassFigures(
            label=label,
            samples=samples,
            skipped=self.skipped,
            attacked=self.attacked,
            successes=self.successes,
            clean_accuracy=Rate(self.answers[label], samples),
            success_rate=Rate(self.successes, self.attacked),
            answers=dict(sorted(self.answers.items())),
            untried=self.untried,
        )
