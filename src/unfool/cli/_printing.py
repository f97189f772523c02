"""What commands print."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from unfool._labels import how_matched
from unfool.cli._app import EXIT_SOME_FAILED
from unfool.report import terminal
from unfool.runs import Run

_PADDING = 2
_FAILURES_NAMED = 5


def print_json(value: Any) -> None:
    """Print a value for scripts."""
    print(json.dumps(value, indent=2, default=str))


def print_run(run: Run, examples: int) -> None:
    """Print a run's figures and some of its texts."""
    console = Console()
    console.print(terminal([run], examples=examples))
    console.print(f"{run.seconds:.1f} seconds; {_labels(run)}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"run: {run.folder}", highlight=False, markup=False, soft_wrap=True)


def exit_if_some_failed(run: Run) -> None:
    """Name samples without a result and leave with their exit code; where every sample has one, do nothing."""
    failures = list(run.failures())
    for failure in failures[:_FAILURES_NAMED]:
        typer.echo(f"no result for sample {failure.id}: {failure.error}", err=True)
    if failures:
        typer.echo(f"{len(failures)} samples have no result; --resume tries them again", err=True)
        raise typer.Exit(EXIT_SOME_FAILED)


def _labels(run: Run) -> str:
    """Say how the data's labels were matched to the victim's."""
    ours, theirs = (run.config.get(key) for key in ("data_labels", "labels"))
    if ours == theirs or not isinstance(ours, list) or not isinstance(theirs, list):
        return f"labels {theirs}"
    how = how_matched(*([str(name) for name in names] for names in (ours, theirs)))
    return f"the data's labels {ours} are the victim's {theirs}, {how}"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings; no word is cut, and what stands first, a name, is not even broken."""
    cells = [columns, *rows]
    table = Table(box=None, pad_edge=False)
    words = [[cell] if number == 0 else cell.split() for row in cells for number, cell in enumerate(row)]
    columns_of_words = (words[number :: len(columns)] for number in range(len(columns)))
    least = [max(map(cell_len, chain(*column)), default=0) for column in columns_of_words]
    for number, column in enumerate(columns):
        table.add_column(column, no_wrap=number == 0, min_width=least[number])
    for row in cells[1:]:
        table.add_row(*map(Text, row))
    # Where the longest words do not fit, the terminal breaks the lines; Rich would cut the words.
    Console(width=max(Console().width, sum(least) + _PADDING * len(columns))).print(table)
