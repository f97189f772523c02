"""Outcomes and failures as lines of JSON, and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from unfool.engine import Failure, Outcome, Status, Swap, Verdict
from unfool.runs._typed import check_fields

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"


def to_line(record: Outcome | Failure, **more: str) -> bytes:
    """Return the record as one line, keys in the order of its definition, and ``more`` behind them."""
    return to_json({**_by_name(record), **more}) + b"\n"


def outcome_from_line(line: bytes) -> Outcome:
    """Return the outcome that `to_line` wrote."""
    record = json.loads(line)
    for key in ("original", "perturbed", "field_names"):
        record[key] = tuple(record[key])
    for key in ("before", "after"):
        record[key] = Verdict(**record[key])
    record["status"] = Status(record["status"])
    record["steps"] = tuple(tuple(Swap(*swap) for swap in step) for step in record.get("steps", ()))
    return Outcome(**record)


def failure_from_line(line: bytes) -> Failure:
    """Return the failure that `to_line` wrote."""
    return Failure(**json.loads(line))


def check_outcome(outcome: Outcome) -> None:
    """Refuse an outcome that no attack could have.

    Raises:
        ValueError: It is refused; the message says what for.
    """
    check_fields(outcome)
    names = outcome.field_names
    if not 0 < len(set(names)) == len(names) == len(outcome.original) == len(outcome.perturbed):
        raise ValueError("its fields are not those it names")
    if min(outcome.label, outcome.before.label, outcome.after.label, outcome.words, outcome.characters) < 0:
        raise ValueError("its labels and counts cannot be below zero")


def id_in(line: bytes) -> int | None:
    """Return the id of a record, or None where the line is damaged."""
    try:
        number = json.loads(line)["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return number if isinstance(number, int) and abs(number) < 2**63 else None


def to_json(value: object, indent: int | None = None) -> bytes:
    r"""Return JSON as valid UTF-8.

    A lone surrogate has no UTF-8 form, so it is written as JSON's own escape (``\ud800``), which any reader
    turns back into what it was.
    """
    string = json.dumps(value, default=_by_name, ensure_ascii=False, allow_nan=False, indent=indent)
    return string.encode("utf-8", "backslashreplace")


def _by_name(record: Any) -> dict[str, object]:
    values = ((field, getattr(record, field.name)) for field in dataclasses.fields(record))
    # What is mostly false, or empty, is written only where it is not.
    return {field.name: value for field, value in values if not (value in (False, "") and value == field.default)}
