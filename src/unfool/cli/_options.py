"""What several commands share: their options, and the data they load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unfool.cli._app import tell
from unfool.errors import UserError
from unfool.options import Budget, Options, Reading, read_device, read_names

if TYPE_CHECKING:
    from unfool.data import BadRow, Dataset

DATA, VICTIM, COST = Reading.PANEL, Options.PANEL, Budget.PANEL


def device_option(panel: str | None = None, help: str = "cpu, cuda or auto.") -> Any:
    """Return the option for where nets live; a device that no machine has is refused before anything is done."""
    return typer.Option(help=help, rich_help_panel=panel, callback=read_device)


Victim = Annotated[
    str, typer.Option(help="hf:…, zoo:…, skops:…, py:MODULE:FUNCTION, http(s)://…#rate=5; see 'list victims'.")
]
Attack = Annotated[str, typer.Option(help="NAME or NAME:key=value,key=value; see 'list attacks'.")]
Target = Annotated[str | None, typer.Option(help="The label to bring about; any wrong one if not given.")]
Confidence = Annotated[
    float, typer.Option(help="Count a wrong answer only from this probability on.", min=0, max=1)
]
Eot = Annotated[int, typer.Option(help="Average this many answers of a randomised victim (five:…, fuse:…).", min=1)]
Constrain = Annotated[
    str,
    typer.Option(
        help="What a changed text must keep: words<=0.2,pos,…; see 'list constraints'.", rich_help_panel=COST
    ),
]
Data = Annotated[str, typer.Option(help="A CSV, TSV, JSON-lines or parquet file, a folder, a name, a hub id.")]
From = Annotated[
    str | None,
    typer.Option(
        "--from", help="Attack only texts of this label, or of several: a,b.", parser=read_names, metavar="TEXT"
    ),
]
Split = Annotated[str | None, typer.Option(help="Default: train, where the data has splits.", rich_help_panel=DATA)]
Count = Annotated[
    int | None, typer.Option("--n", help="How many texts, drawn by the seed; all if not given.", min=1)
]
Seed = Annotated[int, typer.Option(help="Decides which texts are drawn.", min=0)]
Workers = Annotated[int | None, typer.Option(help="Processes that share the work; chosen if not given.", min=1)]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with work that was stopped.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Several = Annotated[
    list[str] | None, typer.Option("--victims", help="Names as 'attack' takes them, 'zoo:LSTM-*@DATA'.")
]
RuleFile = Annotated[Path, typer.Option("--rules", help="A file of rules.", readable=False)]


def load_training(data: str, split: str | None, reading: Reading) -> Dataset:
    """Load what models are trained on: the split named train, where none is named and the data has splits."""
    from unfool.data import has_splits

    if split is None and has_splits(data):
        split = "train"
    return load_data(data, split, reading)


def load_data(data: str, split: str | None, reading: Reading) -> Dataset:
    """Load what models are tried on, and name the rows that were left out."""
    from unfool.data import load

    source = load(data, split=split, **reading.given)
    for bad in source.bad_rows:
        tell_skipped(bad)
    return source


def labelled(reading: Reading) -> Reading:
    """Return how data are read, unless their labels are to come from a victim: only ``unfool attack`` does that."""
    from unfool.data import ANSWERS

    if reading.label == ANSWERS:
        raise UserError(f"--label {ANSWERS} is for `unfool attack` alone; name the column of the labels")
    return reading


def tell_skipped(bad: BadRow) -> None:
    """Name a row that was left out."""
    tell(f"skipped {bad}")
