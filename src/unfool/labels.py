"""Which labels of a data set and of a victim are the same, and in which order they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unfool.errors import UserError

_MOST_SHOWN = 10
_SHOWN_OF_MANY = 4


def match_labels(ours: Sequence[str], theirs: Sequence[str]) -> list[int] | None:
    """Return the victim's number of each of the data's labels, or None if the numbers are the same.

    Labels are matched by name if the victim has all the data's names; else by number, if the data's names are
    numbers of the victim's labels; else in order.
    """
    numbers = _by_name(ours, theirs) or _by_number(ours, theirs) or list(range(len(ours)))
    return None if numbers == list(range(len(ours))) else numbers


def label_order(ours: Sequence[str], theirs: Sequence[str]) -> list[int] | None:
    """Return the victim's numbers in the data's order, its extra labels behind, or None if nothing moves.

    Raises:
        UserError: Two of the data's labels are the same one of the victim's.
    """
    numbers = match_labels(ours, theirs)
    if numbers is None:
        return None
    if len(set(numbers)) < len(numbers):
        cure = _alike_in_all_but_case(ours) or "name them with --labels"
        raise UserError(f"two of the labels {_listed(ours)} are the same of the victim's {_listed(theirs)}; {cure}")
    return [*numbers, *(number for number in range(len(theirs)) if number not in numbers)]


def data_numbers(config: Mapping[str, Any]) -> list[int]:
    """Return the data's number of each label of a run, -1 for labels that the data does not have.

    A run numbers labels as its data does. One made before that was so numbers them as its victim does, which its
    configuration tells by having no ``victim_labels`` although the names are in another order.
    """
    ours, theirs = ([str(name) for name in config[key]] for key in ("data_labels", "labels"))
    same = "victim_labels" in config
    numbers = [-1] * len(theirs)
    for number, place in enumerate((None if same else match_labels(ours, theirs)) or range(len(ours))):
        numbers[place] = number
    return numbers


def check_labels(data: str, ours: Sequence[str], victim: str, theirs: Sequence[str]) -> None:
    """Refuse data without labels, and data that has more than the victim, which cannot be right about them."""
    if not ours:
        raise UserError(
            f"the texts of {data} have no labels; name their column (label @victim is for attacks alone)"
        )
    if len(ours) > len(theirs):
        cure = _alike_in_all_but_case(ours) or (
            "give a victim trained for these labels, or name the labels to use with --labels and leave the rows of "
            "all others out with --skip-bad"
        )
        raise UserError(
            f"{data} has {len(ours)} labels ({_listed(ours)}) but {victim} only {len(theirs)} ({_listed(theirs)}); "
            f"{cure}"
        )


def how_matched(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Say how the data's labels were matched to the victim's."""
    if _by_name(ours, theirs):
        return "by name"
    return "by number" if match_labels(ours, theirs) else "in order"


def told_match(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Say in a sentence how the data's labels were matched to the victim's."""
    how = how_matched(ours, theirs)
    if how == "by name":
        return f"Labels matched by name: {_few(ours)}."
    return f"Labels matched {how}: {_taken(ours, theirs)}."


def told_in_order(data: str, ours: Sequence[str], victim: str, theirs: Sequence[str]) -> str | None:
    """Say which label of data and victim is taken for which, or None if the names told it."""
    how = how_matched(ours, theirs)
    if how == "by name":
        return None
    return f"Labels of {data} and {victim} matched {how}: {_taken(ours, theirs)}."


def _taken(ours: Sequence[str], theirs: Sequence[str]) -> str:
    numbers = match_labels(ours, theirs) or range(len(ours))
    pairs = [f"data {our} → model {theirs[number]}" for our, number in zip(ours, numbers, strict=False)]
    return f"{_few(pairs)}; name them with --labels if that is wrong"


def _alike_in_all_but_case(names: Sequence[str]) -> str | None:
    once = {name.lower(): name for name in reversed(names)}
    if len(once) == len(names):
        return None
    return f"some differ only in case: --labels {','.join(once[name] for name in sorted(once))} takes these for one"


def _by_name(ours: Sequence[str], theirs: Sequence[str]) -> list[int] | None:
    data, victim = ([name.lower() for name in names] for names in (ours, theirs))
    if data == victim[: len(data)]:
        return list(range(len(data)))
    return [victim.index(name) for name in data] if set(data) <= set(victim) else None


def _by_number(ours: Sequence[str], theirs: Sequence[str]) -> list[int] | None:
    if not all(name.isdecimal() for name in ours):
        return None
    numbers = [int(name) for name in ours]
    # Numbers in another order were named so by hand: their order is what counts.
    return numbers if numbers == sorted(numbers) and max(numbers, default=0) < len(theirs) else None


def _few(names: Sequence[str]) -> str:
    if len(names) <= _MOST_SHOWN:
        return ", ".join(names)
    return f"{', '.join(names[:_SHOWN_OF_MANY])}, … ({len(names)} labels)"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MOST_SHOWN]) + (", …" if len(names) > _MOST_SHOWN else "")


def are_numbers(names: Sequence[str]) -> bool:
    """Return whether labels have no names but their own numbers."""
    return list(names) == [str(number) for number in range(len(names))]
