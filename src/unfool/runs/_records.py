"""What a run keeps as lines of JSON: outcomes, failures, and how much each word matters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from unfool.engine import Failure, Outcome, Status, Swap, Verdict
from unfool.errors import UserError
from unfool.storage import (
    Log,
    by_name,
    check_fields,
    cut_torn_end,
    explaining,
    lines_at,
    locked,
    parse_line,
    to_json,
    whole_lines,
)


def to_line(record: Outcome | Failure, **more: str) -> bytes:
    """Return the record as one line, keys in the order of its definition, and ``more`` behind them."""
    written = by_name(record)
    if written.get("outputs", ()) is None:  # a classifier's record says nothing of outputs
        del written["outputs"]
    return to_json({**written, **more}) + b"\n"


def outcome_from_line(line: bytes) -> Outcome:
    """Return the outcome that `to_line` wrote."""
    record = parse_line(line)
    for key in ("original", "perturbed", "field_names"):
        record[key] = tuple(record[key])
    for key in ("before", "after"):
        record[key] = Verdict(**record[key])
    record["status"] = Status(record["status"])
    record["outputs"] = tuple(record["outputs"]) if record.get("outputs") else None
    record["steps"] = tuple(tuple(Swap(*swap) for swap in step) for step in record.get("steps", ()))
    return Outcome(**record)


class Cost(NamedTuple):
    """What the curves of a run need of an outcome; much of the time to read one goes into its texts."""

    id: int
    status: Status
    queries: int
    words: int
    words_changed: int


def cost_from_line(line: bytes) -> Cost:
    """Return the cost of the outcome that `to_line` wrote."""
    record = parse_line(line)
    counts = (record[name] for name in ("queries", "words", "words_changed"))
    return Cost(record["id"], Status(record["status"]), *counts)


def failure_from_line(line: bytes) -> Failure:
    """Return the failure that `to_line` wrote."""
    return Failure(**json.loads(line))


def check_outcome(outcome: Outcome) -> None:
    """Refuse an outcome that no attack could have, by a `ValueError`."""
    check_fields(outcome)
    names = outcome.field_names
    if not 0 < len(set(names)) == len(names) == len(outcome.original) == len(outcome.perturbed):
        raise ValueError("its fields are not those it names")
    if min(outcome.label, outcome.before.label, outcome.after.label, outcome.words, outcome.characters) < 0:
        raise ValueError("its labels and counts cannot be below zero")


Record = TypeVar("Record")


def read_lines(
    path: Path, read: Callable[[bytes], Record], check: Callable[[Record], None], advice: str
) -> Iterator[Record]:
    """Yield the record of each line that was written to its end; a damaged line is an error with this advice."""
    for number, (_, line) in enumerate(whole_lines(path), start=1):
        try:
            yield _checked(line, read, check)
        except _Damaged as error:
            raise UserError(f"line {number} of {path} is damaged; {advice}") from error


def read_lines_at(
    path: Path,
    offsets: Sequence[int],
    read: Callable[[bytes], Record],
    check: Callable[[Record], None],
    advice: str,
) -> Iterator[Record]:
    """Yield the records of the lines that begin there, as `read_lines` does."""
    for offset, line in zip(offsets, lines_at(path, offsets), strict=True):
        try:
            yield _checked(line, read, check)
        except _Damaged as error:
            number = sum(start <= offset for start, _ in whole_lines(path))
            raise UserError(f"line {number} of {path} is damaged; {advice}") from error


class _Damaged(Exception):
    """A line is not what it should be."""


def _checked(line: bytes, read: Callable[[bytes], Record], check: Callable[[Record], None]) -> Record:
    try:
        record = read(line)
        check(record)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise _Damaged from error
    return record


_OVERLAYS = "overlays.jsonl"


@dataclass(frozen=True)
class Weights:
    """A number for each word of a text, field after field."""

    importance: list[float]
    """How much the victim's belief in the true label falls when the word is left out."""
    attention: list[float | None] | None
    """The attention the word gets, None if it is cut off; None if the victim tells of no attention."""


@dataclass(frozen=True)
class Cross:
    """Where a model that generates looks in a source while it makes its output."""

    source: list[str]
    """The words of the source, as the model cuts it."""
    output: list[str]
    weights: list[list[float]]
    """A row a word of the output, a column a word of the source."""


@dataclass(frozen=True)
class Overlay:
    """What the victim says of one sample, word by word and step by step."""

    id: int
    original: Weights
    perturbed: Weights | None
    """None if it is the original."""
    beliefs: list[float]
    """The belief in the true label at first, and after each step of the search."""
    cross: list[Cross] | None = None
    """Cross attention before and, if the text changed, after; None if the victim tells of none."""


def read_overlays(folder: Path) -> dict[int, Overlay]:
    """Return what a run's folder has, by the samples' ids; nothing if nobody asked."""
    path = folder / _OVERLAYS
    if not path.exists():
        return {}
    with explaining(path, "read", "delete it and ask again with --overlays"):
        lines = read_lines(path, _overlay_from_line, check_fields, "delete the file and ask again with --overlays")
        return {overlay.id: overlay for overlay in lines}


@contextmanager
def adding_overlays(folder: Path) -> Iterator[Callable[[Overlay], None]]:
    """Open a run's folder for more overlays and give what adds one; what was added survives a kill."""
    path = folder / _OVERLAYS
    with explaining(path, "write", "see that the run's folder can be written"), locked(folder):
        path.touch()
        cut_torn_end(path)
        with Log(path) as log:

            def add(overlay: Overlay) -> None:
                log.add(to_json(overlay) + b"\n")
                log.flush()

            yield add


def _overlay_from_line(line: bytes) -> Overlay:
    record = json.loads(line)
    changed = record["perturbed"] and Weights(**record["perturbed"])
    seen = record.get("cross") and [Cross(**each) for each in record["cross"]]
    return Overlay(**{**record, "original": Weights(**record["original"]), "perturbed": changed, "cross": seen})
