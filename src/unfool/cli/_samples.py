"""Samples one by one: for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import typer
from rich.console import Console

from unfool.cli._printing import print_json
from unfool.engine import Failure, Outcome
from unfool.errors import UserError
from unfool.report import sample_lines
from unfool.runs import Run, flat_row
from unfool.storage import JSON

ERROR = "error"
"""The status of a sample that has no outcome."""


def show_samples(run: Run, status: str | None, id: int | None, most: int, json: bool) -> None:
    """Print the samples of a run that have a status, an id, or both."""
    samples: Iterator[Outcome | Failure] = chain(run.outcomes(), run.failures())
    found = [each for each in samples if status in (None, _status(each)) and id in (None, each.id)]
    if id is not None and not found:
        having = f" with status {status}" if status else ""
        raise UserError(f"{run.folder} has no sample {id}{having}; ids are rows of the data, counted from 0")
    if json:
        print_json({"run": str(run.folder), "samples": records(found[:most], run.label_names)})
        return
    print_samples(found[:most], run.label_names, whole=id is not None)
    typer.echo(f"{min(most, len(found))} of {len(found)} samples")


def print_samples(
    found: Iterable[Outcome | Failure], names: Sequence[str], numbered: bool = True, *, whole: bool = True
) -> None:
    """Print what came of samples, each with its text or what changed of it, and an empty line behind it."""
    console = Console()
    for each in found:
        for line in sample_lines(each, names, f"#{each.id} " if numbered else "", whole=whole):
            console.print(line)
        console.print()


def records(found: Iterable[Outcome | Failure], names: Sequence[str]) -> list[dict[str, JSON]]:
    """Return what came of samples as `unfool export` writes it; of one without an outcome, why."""
    return [
        {"id": each.id, "status": ERROR, "reason": each.error}
        if isinstance(each, Failure)
        else {**flat_row(each, names)}
        for each in found
    ]


def _status(found: Outcome | Failure) -> str:
    return ERROR if isinstance(found, Failure) else found.status
