"""Which labelled texts a victim has right: as they are, under attack, and beside another victim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from unfool.engine import Answers as Answered
from unfool.engine import Floats, PendingAnswers, Predictor, Status, answered_labels
from unfool.errors import RESUME, UserError
from unfool.labels import check_labels, data_numbers
from unfool.runs import Run
from unfool.stats import Rate, mcnemar
from unfool.text import Sample, Text, as_variants
from unfool.victims import in_label_order

_AT_ONCE = 4096


@dataclass(frozen=True)
class Answers:
    """A victim's answers, numbered as the data's labels; -1 where it gave none of them."""

    gold: tuple[int, ...]
    given: tuple[int, ...]
    classes: int

    @property
    def right(self) -> list[bool]:
        """Whether each answer is right."""
        return [gold == given for gold, given in zip(self.gold, self.given, strict=True)]

    @property
    def accuracy(self) -> Rate:
        """The share of right answers."""
        return Rate(sum(self.right), len(self.gold))

    @property
    def macro_f1(self) -> float:
        """The mean over the labels of F1, computed once over all texts.

        Taken batch by batch and averaged, as some studies do, it depends on how the texts are batched.
        """
        gold, given = np.array(self.gold), np.array(self.given)
        scores = []
        for label in range(self.classes):
            both, either = (
                ((gold == label) & (given == label)).sum(),
                (gold == label).sum() + (given == label).sum(),
            )
            if either:
                scores.append(2 * both / either)
        return float(np.mean(scores)) if scores else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"gold": list(self.gold), "given": list(self.given), "classes": self.classes}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Answers:
        """Return the answers `to_json` described."""
        return cls(tuple(plain["gold"]), tuple(plain["given"]), plain["classes"])


def ask_labels(victim: Predictor, samples: Iterable[Sample], labels: Sequence[str]) -> Answers:
    """Ask a victim about samples whose labels are numbered as ``labels``; a tie is not wrong."""
    check_labels("the data", labels, repr(victim), victim.labels)
    victim = in_label_order(victim, labels)
    gold: list[int] = []
    given: list[int] = []
    source = iter(samples)
    while some := list(islice(source, _AT_ONCE)):
        right = [sample.label for sample in some]
        answers = answered_labels(probabilities(victim, [sample.text for sample in some]), right)
        gold += right
        given += [answer if answer < len(labels) else -1 for answer in answers.tolist()]
    return Answers(tuple(gold), tuple(given), len(labels))


def probabilities(victim: Predictor, texts: Sequence[Text]) -> Floats:
    """Ask about texts at full precision; what the victim cannot answer raises its error."""
    if victim.approximate:
        return _sound(victim.check([text.strings for text in texts])).values
    return searched(victim, texts)


def searched(victim: Predictor, texts: Sequence[Text]) -> Floats:
    """Ask about texts as a search does, in full batches and in its precision."""
    rows = victim.rows([as_variants(text) for text in texts])
    return np.round(_sound(victim.launch(rows, np.arange(len(texts)))).values, victim.decimals)


def _sound(pending: PendingAnswers) -> Answered:
    answers = pending.result()
    for error in answers.errors.values():
        raise error
    return answers


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
    """Try the successes of a run on another victim; ``labels`` are the data's."""
    numbers = data_numbers(run.config)
    won = [outcome for outcome in run.outcomes() if outcome.status is Status.SUCCESS]
    originals, changed = (
        [Sample(each.id, each.as_text(getattr(each, which)), numbers[each.label]) for each in won]
        for which in ("original", "perturbed")
    )
    before, after = (ask_labels(other, samples, labels).right for samples in (originals, changed))
    both = sum(was and not now for was, now in zip(before, after, strict=True))
    return Transferred(texts=len(won), fooled=after.count(False), right=sum(before), fooled_right=both)
