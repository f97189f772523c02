"""What the page knows about a run: its figures and curves, and every sample with its changes marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from unfool.engine import Outcome
from unfool.report._curves import curves
from unfool.report._shading import about as about_overlays
from unfool.runs import NUMBERS, Overlay, Piece, Run, mark_changes, numbers
from unfool.storage import settings, to_json

COLUMNS = ("id", "label", "status", "reason", *NUMBERS, "fields", "notes", "steps")


def facts(run: Run, overlays: Mapping[int, Overlay]) -> dict[str, Any]:
    """Return all but the samples, as plain values."""
    found = curves(run.outcomes())
    return {
        "name": run.name,
        "settings": dict(settings(run.config)),
        "labels": run.label_names,
        "finished": run.finished,
        "remarks": run.remarks(),
        "summary": run.summary.to_dict(),
        "curves": {"queries": found.queries, "words": found.words},
        "overlays": about_overlays(overlays),
        "errors": [{"id": failure.id, "error": failure.error} for failure in run.failures()],
    }


def samples(run: Run) -> Iterator[bytes]:
    """Yield JSON in pieces, since a run may be larger than one wants to hold: columns, names of fields, rows."""
    outcomes = run.outcomes()
    first = next(outcomes, None)
    head = to_json({"columns": COLUMNS, "fields": first.field_names if first else ()})
    yield head.removesuffix(b"}") + b', "rows": ['
    for number, outcome in enumerate(chain([first] if first else [], outcomes)):
        yield (b",\n" if number else b"\n") + to_json(_row(outcome))
    yield b"\n]}"


def _row(outcome: Outcome) -> tuple[object, ...]:
    head = (outcome.id, outcome.label, outcome.status.value, outcome.reason)
    return *head, *numbers(outcome), _fields(outcome), dict(outcome.notes), outcome.steps


def _fields(outcome: Outcome) -> list[tuple[list[str], list[str] | None]]:
    """Return each field before and after (None where nothing changed), cut as `_cut` does."""
    if outcome.original == outcome.perturbed:
        return [([field], None) for field in outcome.original]
    marked = mark_changes(outcome)
    return [
        (_cut(old), _cut(new)) if old != new else (_cut(old), None)
        for old, new in zip(marked.original, marked.perturbed, strict=True)
    ]


def _cut(pieces: tuple[Piece, ...]) -> list[str]:
    """Return the strings in turn, one that stays and one that changes, so that no marks need be stored."""
    strings = [""] if pieces and pieces[0].changed else []
    return strings + [piece.string for piece in pieces]
