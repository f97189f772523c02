"""Which samples of a data set are attacked, and which labels are right for them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from unfool.data import Dataset
from unfool.engine import Predictor
from unfool.errors import UserError, did_you_mean
from unfool.labels import check_labels, told_match
from unfool.storage import JSON
from unfool.victims import own_labels

_ASKED_AT_ONCE = 1024
FromLabel = str | Sequence[str] | None


class Chosen(NamedTuple):
    """The samples to attack, their labels numbered as the data's are."""

    samples: Dataset
    labels: tuple[str, ...]
    config: dict[str, JSON]
    """What a run's configuration keeps of the choice."""
    facts: dict[str, JSON]
    """What a run's environment keeps of it."""
    told: tuple[str, ...]
    """What a person should know of it before the attack."""


def choose(source: Dataset, model: Predictor, n: int | None, seed: int, from_label: FromLabel) -> Chosen:
    """Choose samples among those with the wanted labels; texts without labels get the victim's own answers first.

    Raises:
        UserError: If labels do not fit the victim's, or nothing is left to attack.
    """
    told = []
    config: dict[str, JSON] = {}
    columns = source.columns
    facts: dict[str, JSON] = {"labels_sorted": bool(columns.names_sorted), "labels_given": columns.names_given}
    if columns.renamed:
        facts["labels_renamed"] = dict(columns.renamed)
    every = len(source)
    found = source
    if source.unlabelled:
        found, left_out = _answered(source if from_label else source.sample(n, seed), model)
        # Not how many are left: an endpoint may answer tomorrow what it does not today.
        config |= {"labelled_by": "victim", "n": min(n or every, every)}
        facts |= {"left_out": left_out}
        told.append(_own_answers(left_out))
    else:
        check_labels(source.name, source.labels, repr(model), model.labels)
        told.append(told_match(source.labels, own_labels(model)))
    if from_label:
        numbers = from_numbers(from_label, found, model)
        names = [model.labels[number] for number in sorted(numbers)]
        config["from"] = list(names)
        found = found.only(numbers)
        told.append(f"attacks only texts labelled {', '.join(names)}: {len(found):,} of {every:,}")
        if not len(found):
            raise UserError(f"no text of {source.name} is labelled {', '.join(names)}; there is nothing to attack")
    samples = found.sample(n, seed)
    return Chosen(samples, found.labels, {"n": len(samples), **config}, facts, tuple(told))


def from_numbers(given: str | Sequence[str], source: Dataset, model: Predictor) -> list[int]:
    """Return the numbers of labels that go by the victim's names, in the data's order, or by the data's.

    Raises:
        UserError: If neither has one of the names.
    """
    victims = model.labels[: len(source.labels)]
    found = []
    for name in [given] if isinstance(given, str) else given:
        number = _number_of(name, victims, source.labels)
        if number is None:
            known = dict.fromkeys([*victims, *source.labels])
            raise UserError(f"no text of {source.name} has the label {name!r}{did_you_mean(name, known)}")
        found.append(number)
    return found


def _number_of(name: str, *namings: Sequence[str]) -> int | None:
    """Return the place of a name in the first list that has it, in another case if none has it as it is."""
    for labels in namings:
        if name in labels:
            return labels.index(name)
    for labels in namings:
        if name.lower() in (lower := [label.lower() for label in labels]):
            return lower.index(name.lower())
    return None


def _own_answers(left_out: dict[str, int]) -> str:
    """Say that the labels are the victim's own answers, and which texts have none."""
    reasons = ", ".join(f"{times:,} {reason}" for reason, times in left_out.items() if times)
    return "labels are the victim's own answers: the clean accuracy is 100 % by construction" + (
        f"; left out: {reasons}" if reasons else ""
    )


def _answered(texts: Dataset, model: Predictor) -> tuple[Dataset, dict[str, int]]:
    """Label texts with what the victim answers, and count by reason those left out: no answer, or a tie."""
    labels: list[int] = []
    ties = unanswered = 0
    problem: Exception | None = None
    strings = (sample.text.strings for sample in texts)
    while some := list(islice(strings, _ASKED_AT_ONCE)):
        answers = model.check(some).result()
        values = np.round(answers.values, model.decimals)
        tied = (values == values.max(axis=1, keepdims=True)).sum(axis=1) > 1
        for number, label in enumerate(values.argmax(axis=1).tolist()):
            if number in answers.errors:
                problem = problem or answers.errors[number]
                unanswered += 1
            elif tied[number]:
                ties += 1
            labels.append(-1 if number in answers.errors or tied[number] else label)
    if problem and unanswered == len(texts):
        raise problem
    if max(labels, default=-1) < 0:
        raise UserError(f"{model!r} answers none of the {len(texts)} texts of {texts.name} with one label alone")
    left_out = {"without an answer": unanswered, "with a tie between labels": ties}
    return texts.with_labels(model.labels, labels), left_out
