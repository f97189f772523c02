"""Turns labels as they are written into label ids and their names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from unfool.errors import UserError, did_you_mean

_INTEGER = re.compile(r"([+-]?[0-9]{1,18})(?:\.0*)?")  # 1.0 too: a data frame with a gap writes integers so
_UNLABELLED = {"": "no label", "-": "unlabelled (label -)"}  # "-": SNLI's annotators did not agree
_NEGATIVE = "unlabelled (label"
_MOST_CLASSES = 10_000
_MOST_NAMES_SHOWN = 10
_LONGEST_SHOWN = 40


class Labels(NamedTuple):
    """The label ids of all rows, and what they mean."""

    ids: NDArray[np.int64]
    """One id a row; -1 if the label cannot be used."""
    names: tuple[str, ...]
    are_sorted: bool
    """Whether the ids are the places of the names in sorted order, and not the names themselves."""
    reasons: dict[int, str]
    """For each row of id -1, why."""


def read_labels(
    written: pa.Array,
    where: str,
    *,
    given: Sequence[str] | None,
    in_file: Sequence[str] | None,
    rename: Mapping[str, str] | None = None,
) -> Labels:
    """Turn written labels into ids.

    Names the user gave come first: a label is one of them, or else an id below their number. Then come the
    names the file carries: a label is an id below their number, or else one of them. Names may be in another case,
    if only one fits. If there are neither and most labels are integers, those that occur are the names, in
    their order: 0, 1, 2 are then the ids as well. Otherwise the labels are names, with ids in sorted order.

    Labels are renamed before anything else, by what is written, or by the name of the id that is written.
    """
    encoded = written.dictionary_encode()
    values = [value.strip() for value in encoded.dictionary.to_pylist()]
    codes = np.asarray(encoded.indices.fill_null(len(values)))
    if rename:
        values = _renamed(values, rename, given or in_file or (), where)
        in_file = _renamed_ids(in_file or (), rename)

    names: Sequence[str] = given or in_file or ()
    are_sorted = not names and not _mostly_integers(values, np.bincount(codes, minlength=len(values) + 1))
    if are_sorted:
        names = sorted({value for value in values if value not in _UNLABELLED and _integer(value) is None})
    if len(names) > _MOST_CLASSES:
        raise UserError(
            f"{where!r} holds {len(names):,} different labels, too many for classes; "
            "name another column with --label"
        )
    by_name = {name: number for number, name in enumerate(names) if given or _integer(name) is None}
    in_lower = Counter(name.lower() for name in by_name)
    in_any_case = {name.lower(): number for name, number in by_name.items() if in_lower[name.lower()] == 1}
    numbers = range(0 if are_sorted else len(names) or _MOST_CLASSES)

    named = [by_name.get(value, in_any_case.get(value.lower())) for value in values]
    found = [_id_or_reason(*each, numbers, names) for each in zip(values, named, strict=True)] + ["no label"]
    ids = np.array([-1 if isinstance(each, str) else each for each in found], np.int64)[codes]
    reasons = {int(row): str(found[codes[row]]) for row in np.flatnonzero(ids < 0)}
    if not names:
        numbers_used = np.unique(ids[ids >= 0])
        names = [str(number) for number in numbers_used]
        are_sorted = bool((numbers_used != np.arange(len(names))).any())
        ids = np.where(ids < 0, -1, numbers_used.searchsorted(ids))
    return Labels(ids, tuple(names), are_sorted, reasons)


def unlabelled(rows: int) -> Labels:
    """Return what stands for the labels of rows that have none yet."""
    return Labels(np.full(rows, -1, np.int64), (), False, {})


def _renamed(values: Sequence[str], rename: Mapping[str, str], names: Sequence[str], where: str) -> list[str]:
    """Return written labels under their new names; ids that have names are called by these."""
    called = [_called(value, rename, names) for value in values]
    there = sorted({*called, *names} - set(_UNLABELLED))
    for name in rename:
        if name not in there:
            raise UserError(f"{where!r} has no label {name!r} to rename{did_you_mean(name, there)}")
    return [rename.get(name, name) for name in called]


def _called(value: str, rename: Mapping[str, str], names: Sequence[str]) -> str:
    number = _integer(value)
    if value in rename or number is None:
        return value
    if str(number) in rename:  # written 1.0, say
        return str(number)
    return names[number] if value not in names and 0 <= number < len(names) else value


def _renamed_ids(in_file: Sequence[str], rename: Mapping[str, str]) -> list[str] | None:
    """Return the new names of the file's ids; None if some are numbers, which then speak for themselves.

    A name that was there before keeps its place among the others, so that two that are swapped are.
    """
    names = [rename.get(str(number), rename.get(name, name)) for number, name in enumerate(in_file)]
    if any(_integer(name) is not None for name in names):
        return None
    return list(dict.fromkeys([*(name for name in in_file if name in names), *names]))


def says_unlabelled(reason: str) -> bool:
    """Return whether a row has, by this reason, no label at all, rather than one that means nothing here."""
    return reason in _UNLABELLED.values() or says_negative(reason)


def says_negative(reason: str) -> bool:
    """Return whether a row counts, by this reason, as unlabelled because its label is a negative number."""
    return reason.startswith(_NEGATIVE) and reason not in _UNLABELLED.values()


def _id_or_reason(value: str, named: int | None, numbers: range, names: Sequence[str]) -> int | str:
    """Return the id of a label, by its name if it is one of the names, or why it has none."""
    if named is not None:
        return named
    if value in _UNLABELLED:
        return _UNLABELLED[value]
    number = _integer(value)
    if number is not None and number < 0:
        return f"{_NEGATIVE} {number})"
    if number is not None and number in numbers:
        return number
    shown = value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}…"
    if names:
        known = ", ".join(f"{number}={name}" for number, name in enumerate(names[:_MOST_NAMES_SHOWN]))
        return f"label {shown!r} is none of {known}{', …' if len(names) > _MOST_NAMES_SHOWN else ''}"
    return f"label {shown!r} is not an integer" if number is None else f"label {shown} is too large for a class"


def _mostly_integers(values: Sequence[str], counts: NDArray[np.int64]) -> bool:
    labelled = [(value, count) for value, count in zip(values, counts, strict=False) if value not in _UNLABELLED]
    integers = sum(count for value, count in labelled if _integer(value) is not None)
    return bool(2 * integers >= sum(count for _, count in labelled))


def _integer(value: str) -> int | None:
    match = _INTEGER.fullmatch(value)
    return int(match[1]) if match else None
