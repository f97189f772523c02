"""Whether a victim that is hardly ever right merely has its labels in another order than the data."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from unfool.labels import match_labels
from unfool.runs._classes import ClassFigures
from unfool.stats import Rate, wilson

_FEWEST = 4
"""Texts all answered wrongly that are worth a word; of two labels, a coin does it once in sixteen."""


class Naming(NamedTuple):
    """How labels came by their names.

    Attributes:
        victims: The victim's labels.
        datas: The data's labels.
        are_sorted: Whether the data's are names that got their numbers in sorted order.
        given: Whether the user named the data's.
        renamed: The names that the user gave to labels, by what they were before.
    """

    victims: Sequence[str]
    datas: Sequence[str]
    are_sorted: bool = False
    given: bool = False
    renamed: Mapping[str, str] = {}


class Fit(NamedTuple):
    """For each right label the answer to take for it, both by the victim's numbers, and the accuracy that gives."""

    answers: Mapping[int, int]
    accuracy: Rate


def told_crossed(classes: Sequence[ClassFigures], naming: Naming) -> str | None:
    """Say that labels look crossed, with the option that uncrosses them; or that no order of them would do.

    Args:
        classes: The figures of each right label that occurs.
        naming: How labels came by their names.

    Returns:
        A sentence or two; None where the clean accuracy is not below chance.
    """
    right = sum(found.clean_accuracy.count for found in classes)
    clean = Rate(right, sum(found.samples for found in classes))
    if clean.of < _FEWEST or not (right == 0 or clean.interval[1] < 1 / max(len(classes), 2)):
        return None
    if len(classes) == 1 and right:
        return None  # a single label may be the very one that the victim is bad at
    told = f"Clean accuracy is {_percent(clean)}"
    fit = best_fit(classes, len(naming.victims))
    if fit and (option := _option(fit, naming)):
        return f"{told}: the labels look crossed. With {option} it would be {_percent(fit.accuracy)}."
    return (
        f"{told}: the model is wrong about nearly all texts, and no other order of the labels fits. "
        "Check that it was trained for these labels."
    )


def best_fit(classes: Sequence[ClassFigures], labels: int) -> Fit | None:
    """Return the answers that go with the right labels best, one each; None where chance would do as well.

    The commonest pair of right label and answer is matched first, then the next among what is left.

    Args:
        classes: The figures of each right label that occurs.
        labels: How many labels the victim has.
    """
    if len(classes) < 2:
        return None
    pairs = sorted((-times, found.label, answer) for found in classes for answer, times in found.answers.items())
    fitting: dict[int, int] = {}
    for _, gold, answer in pairs:
        if gold not in fitting and answer not in fitting.values():
            fitting[gold] = answer
    for gold in range(labels):  # what never occurs keeps its place, or takes what is free
        if gold not in fitting:
            free = [answer for answer in range(labels) if answer not in fitting.values()]
            fitting[gold] = gold if gold in free else free[0]
    shares = [found.answers.get(fitting[found.label], 0) / found.samples for found in classes]
    right = sum(found.answers.get(fitting[found.label], 0) for found in classes)
    accuracy = Rate(right, sum(found.samples for found in classes))
    # A victim that always answers the same has, for some order of labels, the accuracy of the commonest label.
    mean = sum(shares) / len(shares)
    return Fit(fitting, accuracy) if wilson(mean * accuracy.of, accuracy.of)[0] > 1 / len(classes) else None


def _option(fit: Fit, naming: Naming) -> str | None:
    """Return the option that makes these answers the right ones; None where the names cannot be written in one."""
    victims, datas = naming.victims, naming.datas
    numbers = match_labels(datas, victims) or list(range(len(datas)))
    meant = [fit.answers[number] for number in numbers]
    if naming.are_sorted and not naming.renamed and len(datas) == len(victims) and _are_numbers(victims):
        # In this order the names go to a victim that has none.
        called = dict(zip(meant, datas, strict=True))
        chosen = [called[answer] for answer in range(len(victims))]
        return f"--labels={shlex.quote(','.join(chosen))}" if _writable(chosen) else None
    # Labels that the user named must keep to these names; others get the victim's, which leave nothing to guess.
    ours = dict(zip(numbers, datas, strict=False))
    names = [ours.get(answer, victims[answer]) if naming.given else victims[answer] for answer in meant]
    written = [[old for old, new in naming.renamed.items() if new == name] or [name] for name in datas]
    pairs = [(old, name) for olds, name in zip(written, names, strict=False) for old in olds]
    if not _writable([name for pair in pairs for name in pair]):
        return None
    return f"--map {shlex.quote(','.join(f'{old}={name}' for old, name in pairs))}"


def _are_numbers(names: Sequence[str]) -> bool:
    return list(names) == [str(number) for number in range(len(names))]


def _writable(names: Sequence[str]) -> bool:
    """Say whether names can stand in a list behind an option."""
    return all(
        name and name == name.strip() and not name.startswith("-") and not {",", "="} & {*name} for name in names
    )


def _percent(rate: Rate) -> str:
    return f"{rate.value or 0:.0%}".replace("%", " %")
