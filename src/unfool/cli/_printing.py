"""What commands print."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from unfool.report import terminal
from unfool.runs import Run


def print_json(value: Any) -> None:
    """Print a value for scripts."""
    print(json.dumps(value, indent=2, default=str))


def print_run(run: Run, examples: int) -> None:
    """Print a run's figures and some of its texts."""
    console = Console()
    console.print(terminal([run], examples=examples))
    console.print(f"{run.seconds:.1f} seconds; {_labels(run)}", highlight=False, markup=False, soft_wrap=True)
    console.print(f"run: {run.folder}", highlight=False, markup=False, soft_wrap=True)


def _labels(run: Run) -> str:
    """Say how the data's labels were matched to the victim's: by name where they have the same, else in order."""
    ours, theirs = (run.config.get(key) for key in ("data_labels", "labels"))
    if ours == theirs or not isinstance(ours, list) or not isinstance(theirs, list):
        return f"labels {theirs}"
    names = {str(name).lower() for name in theirs}
    how = "by name" if {str(name).lower() for name in ours} <= names else "in order"
    return f"the data's labels {ours} are the victim's {theirs}, {how}"


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under headings; what stands first is a name, and never cut."""
    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, no_wrap=number == 0)
    for row in rows:
        table.add_row(*map(Text, row))
    Console().print(table)
