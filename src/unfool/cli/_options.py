"""What several commands share: their options, and the data they load."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unfool.cli._app import tell
from unfool.errors import UserError

if TYPE_CHECKING:
    from unfool.data import BadRow, Dataset, Reading
    from unfool.victims import Options

DATA, VICTIM, COST = "The data", "The victim", "What it may cost"


def device_option(panel: str | None = None, help: str = "cpu, cuda or auto.") -> Any:
    """Return the option for where nets live; a device that no machine has is refused before anything is done."""
    return typer.Option(help=help, rich_help_panel=panel, callback=_known_device)


def dtype_option(panel: str | None = None) -> Any:
    """Return the option for the precision of the search, refused as early where it is unknown."""
    return typer.Option(
        help="Precision of the search: fp32, or bf16 (faster).", rich_help_panel=panel, callback=_known_dtype
    )


def _known_device(name: str) -> str:
    from unfool.devices import check_device

    check_device(name)
    return name


def _known_dtype(name: str) -> str:
    from unfool.victims._registry import check_dtype

    check_dtype(name)
    return name


Victim = Annotated[
    str, typer.Option(help="hf:…, zoo:…, skops:…, py:MODULE:FUNCTION, http(s)://…#rate=5; see 'list victims'.")
]
Attack = Annotated[str, typer.Option(help="NAME or NAME:key=value,key=value; see 'list attacks'.")]
Target = Annotated[str | None, typer.Option(help="The label to bring about; any wrong one if not given.")]
Confidence = Annotated[
    float, typer.Option(help="Count a wrong answer only from this probability on.", min=0, max=1)
]
Eot = Annotated[int, typer.Option(help="Average this many answers of a randomised victim (five:…, fuse:…).", min=1)]
Queries = Annotated[int | None, typer.Option(help="The most queries for one sample.", min=1, rich_help_panel=COST)]
MaxWords = Annotated[
    float | None, typer.Option(help="Share of words that may change.", min=0, max=1, rich_help_panel=COST)
]
MaxCharacters = Annotated[
    float | None, typer.Option(help="Share of characters that may change.", min=0, max=1, rich_help_panel=COST)
]
Constrain = Annotated[
    str,
    typer.Option(
        help="What a changed text must keep: words<=0.2,pos,…; see 'list constraints'.", rich_help_panel=COST
    ),
]
Data = Annotated[str, typer.Option(help="A CSV, TSV, JSON-lines or parquet file, a folder, a name, a hub id.")]
Text = Annotated[
    str | None, typer.Option("--text", help="Column of the text; guessed if not given.", rich_help_panel=DATA)
]
Pair = Annotated[str | None, typer.Option("--pair", help="Column of a second text.", rich_help_panel=DATA)]
Label = Annotated[
    str | None, typer.Option("--label", help="Column of the label; guessed if not given.", rich_help_panel=DATA)
]
Edit = Annotated[str | None, typer.Option("--edit", help="Of a pair, the column to edit.", rich_help_panel=DATA)]
Labels = Annotated[str | None, typer.Option("--labels", help="Label names, comma-separated.", rich_help_panel=DATA)]
Map = Annotated[
    str | None, typer.Option("--map", help="Rename labels: True=injection,False=safe.", rich_help_panel=DATA)
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Encoding of a text file; default: UTF-8.", rich_help_panel=DATA)
]
From = Annotated[str | None, typer.Option("--from", help="Attack only texts of this label, or of several: a,b.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Skip bad rows.", rich_help_panel=DATA)]
Split = Annotated[str | None, typer.Option(help="Default: train, where the data has splits.", rich_help_panel=DATA)]
Count = Annotated[
    int | None, typer.Option("--n", help="How many texts, drawn by the seed; all if not given.", min=1)
]
Seed = Annotated[int, typer.Option(help="Decides which texts are drawn.", min=0)]
Device = Annotated[str, device_option(VICTIM)]
Dtype = Annotated[str, dtype_option(VICTIM)]
AllowCode = Annotated[bool, typer.Option(help="Open pickled models: this runs their code.", rich_help_panel=VICTIM)]
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
    source = reading.load(data, split)
    for bad in source.bad_rows:
        tell_skipped(bad)
    return source


def read_from(
    text: str | None,
    pair: str | None,
    label: str | None,
    edit: str | None,
    labels: str | None,
    skip_bad: bool,
    rename: str | None = None,
    encoding: str | None = None,
    *,
    may_ask: bool = False,
) -> Reading:
    """Return how data are read, by what was given; only what ``may_ask`` the victim does without labels."""
    from unfool.data import ANSWERS, Reading

    if label == ANSWERS and not may_ask:
        raise UserError(f"--label {ANSWERS} is for `unfool attack` alone; name the column of the labels")
    return Reading(text, pair, label, edit, names(labels), skip_bad, new_names(rename), encoding)


def tell_skipped(bad: BadRow) -> None:
    """Name a row that was left out."""
    tell(f"skipped {bad}")


def names(labels: str | None) -> list[str] | None:
    """Read a comma-separated list of labels."""
    return [name.strip() for name in labels.split(",")] if labels else None


def new_names(given: str | None) -> dict[str, str] | None:
    """Read a comma-separated list of labels with their new names.

    Raises:
        UserError: If one of them has no new name, or two.
    """
    if given is None:
        return None
    found: dict[str, str] = {}
    for pair in given.split(","):
        old, _, new = (part.strip() for part in pair.partition("="))
        if not (old and new):
            raise UserError(
                f"--map {given}: {pair!r} does not say OLD=NEW; write such as True=injection,False=safe"
            )
        if old in found:
            raise UserError(f"--map {given} names {old!r} twice; give it one new name")
        found[old] = new
    return found


def victim_options(device: str, dtype: str, allow_code: bool, labels: str | None) -> Options:
    """Return how to open victims."""
    from unfool.victims import Options

    return Options(device, dtype, allow_code, names(labels))
