"""What attacks came to, sample by sample: one by one, all together, and on the other victim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from unfool.defences.evaluate._answers import ask_labels
from unfool.engine import Predictor, Status
from unfool.errors import RESUME, UserError
from unfool.runs import Run
from unfool.stats import Rate
from unfool.text import Sample, Text


class Attacked(NamedTuple):
    """A run over a data set by the ids of its samples."""

    robust: Mapping[int, bool]
    """Of all samples: right before, and not fooled."""
    fooled: Mapping[int, bool]
    """Of the samples that were attacked."""


def attacked(run: Run) -> Attacked:
    """Read a run.

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
    return Attacked(robust, fooled)


def worst_case(runs: Sequence[Attacked]) -> dict[int, bool]:
    """Return which samples no attack gets the better of: a defender meets all of them, not their mean."""
    shared = set.intersection(*(set(run.robust) for run in runs))
    return {number: all(run.robust[number] for run in runs) for number in sorted(shared)}


def any_fooled(runs: Sequence[Attacked]) -> dict[int, bool]:
    """Return whether any of the attacks fooled a sample, of those that all of them attacked."""
    shared = set.intersection(*(set(run.fooled) for run in runs)) if runs else set[int]()
    return {number: any(run.fooled[number] for run in runs) for number in sorted(shared)}


class Transferred(NamedTuple):
    """Texts that fooled one victim, tried on the other."""

    texts: int
    fooled: int
    """Those of them the other has wrong."""
    right: int
    """Those of them whose original the other has right."""
    fooled_right: int
    """Those that are both: what is owed to the change."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, with both rates."""
        rates = {
            "rate": Rate(self.fooled, self.texts).value,
            "corrected": Rate(self.fooled_right, self.right).value,
        }
        return {**self._asdict(), **rates}


def transferred(run: Run, other: Predictor, labels: Sequence[str], numbers: Sequence[int]) -> Transferred:
    """Try the successes of a run on another victim.

    Args:
        run: The run on the first victim.
        other: The second.
        labels: The data's labels.
        numbers: The data's number of each label of the first victim.
    """
    won = [outcome for outcome in run.outcomes() if outcome.status is Status.SUCCESS]
    sides = []
    for strings in ([outcome.original for outcome in won], [outcome.perturbed for outcome in won]):
        texts = (
            Text.from_fields(dict(zip(outcome.field_names, fields, strict=True)))
            for outcome, fields in zip(won, strings, strict=True)
        )
        samples = [Sample(o.id, text, numbers[o.label]) for o, text in zip(won, texts, strict=True)]
        sides.append(ask_labels(other, samples, labels).right)
    before, after = sides
    both = sum(was and not now for was, now in zip(before, after, strict=True))
    return Transferred(len(won), after.count(False), sum(before), both)
