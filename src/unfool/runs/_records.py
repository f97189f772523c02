"""Outcomes and failures as lines of JSON, and back."""

from __future__ import annotations

import json

from unfool.engine import Failure, Outcome, Status, Swap, Verdict
from unfool.storage import by_name, check_fields, to_json


def to_line(record: Outcome | Failure, **more: str) -> bytes:
    """Return the record as one line, keys in the order of its definition, and ``more`` behind them."""
    return to_json({**by_name(record), **more}) + b"\n"


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
