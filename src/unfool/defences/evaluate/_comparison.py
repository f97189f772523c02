"""What attacks left right, sample by sample, and how two victims compare on the same texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from unfool.defences.evaluate._answers import ask_labels
from unfool.engine import Predictor, Status
from unfool.errors import RESUME, UserError
from unfool.labels import data_numbers
from unfool.runs import Run
from unfool.stats import Rate, mcnemar
from unfool.text import Sample, Text


class Paired(NamedTuple):
    """How often only one of two victims is right, and how likely that is if they are equally good (McNemar)."""

    texts: int
    only_victim: int
    only_base: int
    p_value: float


def paired(victim: Mapping[int, bool], base: Mapping[int, bool]) -> Paired:
    """Compare two records of success by the ids they share."""
    shared = victim.keys() & base.keys()
    only_victim = sum(victim[number] and not base[number] for number in shared)
    only_base = sum(base[number] and not victim[number] for number in shared)
    return Paired(len(shared), only_victim, only_base, mcnemar(only_victim, only_base))


class Robustness(NamedTuple):
    """What an attack did to each sample, by its id."""

    robust: Mapping[int, bool]
    """Of all samples: right before, and not fooled."""
    fooled: Mapping[int, bool]
    """Of the samples that were attacked."""


def robustness(run: Run) -> Robustness:
    """Return what a run did to each of its samples.

    Raises:
        UserError: If none of its samples has a result.
    """
    robust: dict[int, bool] = {}
    fooled: dict[int, bool] = {}
    for outcome in run.outcomes():
        robust[outcome.id] = outcome.before.label == outcome.label and outcome.status is not Status.SUCCESS
        if outcome.status is not Status.SKIPPED:
            fooled[outcome.id] = outcome.status is Status.SUCCESS
    if not robust:
        why = next((failure.error for failure in run.failures()), "it attacked none")
        raise UserError(
            f"no sample in {run.folder} has a result, so there is nothing to evaluate ({why}); {RESUME} tries again"
        )
    return Robustness(robust, fooled)


def worst_case(runs: Sequence[Robustness]) -> dict[int, bool]:
    """Return which samples no attack gets the better of: a defender meets all of them, not their mean."""
    shared = set.intersection(*(set(run.robust) for run in runs))
    return {number: all(run.robust[number] for run in runs) for number in sorted(shared)}


def any_fooled(runs: Sequence[Robustness]) -> dict[int, bool]:
    """Return whether any of the attacks fooled a sample, of those that all of them attacked."""
    shared = set.intersection(*(set(run.fooled) for run in runs)) if runs else set[int]()
    return {number: any(run.fooled[number] for run in runs) for number in sorted(shared)}


@dataclass(frozen=True, kw_only=True)
class Transferred:
    """Texts that fooled one victim, tried on the other."""

    texts: int
    fooled: int
    """Those of them the other has wrong."""
    right: int
    """Those of them whose original the other has right."""
    fooled_right: int
    """Those that are both: what is owed to the change."""

    @property
    def rate(self) -> float | None:
        """The share of the texts that fool the other victim."""
        return Rate(self.fooled, self.texts).value

    @property
    def corrected(self) -> float | None:
        """The same, of the texts whose original the other victim has right."""
        return Rate(self.fooled_right, self.right).value

    def to_json(self) -> dict[str, Any]:
        """Return plain values, with both rates."""
        return {**asdict(self), "rate": self.rate, "corrected": self.corrected}


def transferred(run: Run, other: Predictor, labels: Sequence[str]) -> Transferred:
    """Try the successes of a run on another victim.

    Args:
        run: The run on the first victim.
        other: The second.
        labels: The data's labels.
    """
    numbers = data_numbers(run.config)
    won = [outcome for outcome in run.outcomes() if outcome.status is Status.SUCCESS]

    def right(texts: Sequence[Sequence[str]]) -> list[bool]:
        samples = []
        for outcome, fields in zip(won, texts, strict=True):
            text = Text.from_fields(dict(zip(outcome.field_names, fields, strict=True)))
            samples.append(Sample(outcome.id, text, numbers[outcome.label]))
        return ask_labels(other, samples, labels).right

    before, after = right([outcome.original for outcome in won]), right([outcome.perturbed for outcome in won])
    both = sum(was and not now for was, now in zip(before, after, strict=True))
    return Transferred(texts=len(won), fooled=after.count(False), right=sum(before), fooled_right=both)
