"""What commands print."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from unfool.cli.app import EXIT_NOTHING_TRIED, EXIT_SOME_FAILED, tell
from unfool.errors import UserError, counted
from unfool.visible import visible

if TYPE_CHECKING:
    from unfool.engine import Failure, Outcome
    from unfool.runs import Run, Runs
    from unfool.storage import JSON

_PADDING = 2
ERROR = "error"
"""The status of a sample that has no outcome."""
_FAILURES_NAMED = 5


def print_json(value: Any) -> None:
    """Print a value for scripts."""
    print(json.dumps(value, indent=2, default=str))


def summary_json(run: Run) -> dict[str, Any]:
    """Return a run's figures as JSON has them, with the remarks that a reader must know before them."""
    valid = run.valid_success
    told = {"valid_success_rate": valid.to_dict()} if valid else {}
    return {"remarks": run.remarks(), **run.summary.to_dict(), **told}


def run_json(run: Run) -> dict[str, Any]:
    """Return where a run lies and its figures as JSON has them."""
    return {"run": str(run.folder), **summary_json(run)}


def several_json(runs: Runs) -> dict[str, Any]:
    """Return the figures of several attacks' runs as JSON has them, and the worst case of all."""
    named = {name: run_json(run) for name, run in runs.by_attack.items()}
    return {"folder": str(runs.folder), "worst_case": runs.worst.to_dict(), "runs": named}


def print_runs(runs: Sequence[Run], examples: int) -> None:
    """Print the figures of runs and some of their texts."""
    from unfool.report import terminal

    console = Console()
    console.print(terminal(runs, examples=examples))
    seconds = sum(run.seconds for run in runs)
    for told in (f"{seconds:.1f} seconds", *(f"run: {run.folder}" for run in runs)):
        console.print(told, highlight=False, markup=False, soft_wrap=True)


def show_samples(run: Run, status: str | None, id: int | None, most: int, json: bool) -> None:
    """Print the samples of a run that have a status, an id, or both."""
    samples: Iterator[Outcome | Failure] = chain(run.outcomes(), run.failures())
    found, total = list["Outcome | Failure"](), 0
    for each in samples:
        if status in (None, _status(each)) and id in (None, each.id):
            total += 1
            found += [each] if len(found) < most else []
    if id is not None and not total:
        having = f" with status {status}" if status else ""
        raise UserError(f"{run.folder} has no sample {id}{having}; ids are rows of the data, counted from 0")
    if json:
        print_json({"run": str(run.folder), "samples": records(found, run.label_names)})
        return
    print_samples(found, run.label_names, whole=id is not None)
    typer.echo(f"{len(found)} of {total} samples")


def print_samples(
    found: Iterable[Outcome | Failure], names: Sequence[str], numbered: bool = True, *, whole: bool = True
) -> None:
    """Print what came of samples, each with its text or what changed of it, and an empty line behind it."""
    from unfool.report import sample_lines

    console = Console()
    for each in found:
        for line in sample_lines(each, names, f"#{each.id} " if numbered else "", whole=whole):
            console.print(line)
        console.print()


def records(found: Iterable[Outcome | Failure], names: Sequence[str]) -> list[dict[str, JSON]]:
    """Return what came of samples as `unfool export` writes it; of one without an outcome, why."""
    from unfool.engine import Failure
    from unfool.runs import flat_row

    return [
        {"id": each.id, "status": ERROR, "reason": each.error}
        if isinstance(each, Failure)
        else {**flat_row(each, names)}
        for each in found
    ]


def _status(found: Outcome | Failure) -> str:
    from unfool.engine import Failure

    return ERROR if isinstance(found, Failure) else found.status


def exit_if_some_failed(run: Run) -> None:
    """Name samples without a result and leave with their exit code; where every sample has one, do nothing."""
    failures = list(run.failures())
    for failure in failures[:_FAILURES_NAMED]:
        tell(f"no result for sample {failure.id}: {failure.error}")
    if run.tracebacks:
        tell(f"the whole traceback: {run.tracebacks}")
    if failures:
        typer.echo(
            f"{counted(len(failures), 'sample has', 'samples have')} no result; --resume tries again", err=True
        )
        raise typer.Exit(EXIT_SOME_FAILED)


def exit_by(runs: Sequence[Run]) -> None:
    """Leave with its exit code where samples have no result, or where no attack tried anything on most."""
    for run in runs:
        exit_if_some_failed(run)
    if not any(run.summary.telling for run in runs):  # the remarks have said so
        raise typer.Exit(EXIT_NOTHING_TRIED)


def exit_if_unanswered(unanswered: JSON, replacements: JSON) -> None:
    """Say how many replacements no answer was given about and leave with their exit code; of none, do nothing."""
    if unanswered:
        typer.echo(f"{unanswered} of {replacements} replacements have no answer and count in no figure", err=True)
        raise typer.Exit(EXIT_SOME_FAILED)


def print_examples(examples: Iterable[tuple[str, str, str, str]]) -> None:
    """Print lines of text around a word that is crossed out and another put in."""
    from unfool.report import replacement_line

    console = Console()
    for example in examples:
        console.print(replacement_line(*example), soft_wrap=True)


def print_rows(rows: Sequence[Mapping[str, object]]) -> None:
    """Print rows that each name their columns."""
    print_table(list(rows[0]), [[str(value) for value in row.values()] for row in rows])


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings; no word is cut, and what stands first, a name, is not even broken."""
    cells = [columns, *rows]
    widths = _widths(cells, Console().width)
    table = Table(box=None, pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, width=width)
    for row in cells[1:]:
        table.add_row(*(Text(visible(cell)) for cell in row))
    # Where the longest words do not fit, the terminal breaks the lines; Rich would cut the words.
    Console(width=max(Console().width, _with_padding(widths))).print(table)


def _widths(cells: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the widths of columns: those of their longest cells; if that is too much, the widest give way."""
    columns = list(zip(*cells, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    longest_words = [max(map(cell_len, " ".join(column).split()), default=0) for column in columns]
    least = [widths[0], *longest_words[1:]]
    while _with_padding(widths) > room and widths != least:
        widest = max(range(len(widths)), key=lambda number: (widths[number] > least[number], widths[number]))
        widths[widest] -= 1
    return widths


def _with_padding(widths: Sequence[int]) -> int:
    return sum(widths) + _PADDING * len(widths)
