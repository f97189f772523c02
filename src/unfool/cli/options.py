"""What commands share: their options, many of them fields of dataclasses, and the data they load."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unfool.cli.app import tell
from unfool.devices import check_device
from unfool.errors import UserError
from unfool.options import Budget, Option, Reading, read_names

if TYPE_CHECKING:
    from unfool.data import BadRow, Dataset

DATA, COST, RUN = Reading.PANEL, Budget.PANEL, "The run"
"""Headings in the help text."""


Victim = Annotated[
    str, typer.Option(help="hf:…, zoo:…, skops:…, py:MODULE:FUNCTION, http(s)://…#rate=5; see 'list victims'.")
]
Attack = Annotated[str, typer.Option(help="NAME or NAME:key=value,key=value; see 'list attacks'.")]
Target = Annotated[str | None, typer.Option(help="The label to bring about; any wrong one if not given.")]
Confidence = Annotated[
    float, typer.Option(help="Count a wrong answer only from this probability on.", min=0, max=1)
]
Eot = Annotated[
    int, typer.Option(help="Average this many answers of a randomised victim (five:…, smooth:…).", min=1)
]
Constrain = Annotated[
    str,
    typer.Option(
        help="What a changed text must keep: words<=0.2,pos,…; see 'list constraints'.", rich_help_panel=COST
    ),
]
Language = Annotated[
    str | None, typer.Option(help="The texts' language, such as French (default: guessed).", rich_help_panel=DATA)
]
Data = Annotated[str, typer.Option(help="A CSV, TSV, JSON-lines or parquet file, a folder, a name, a hub id.")]
From = Annotated[
    str | None,
    typer.Option(
        "--from", help="Attack only texts of this label, or of several: a,b.", parser=read_names, metavar="TEXT"
    ),
]
AnyData = Annotated[str | None, typer.Option("--data", help="A file, a folder, a name, a hub id.")]
Attacks = Annotated[list[str] | None, typer.Option("--attack", help="Attacks, several; see 'list attacks'.")]
Premade = Annotated[
    list[str] | None, typer.Option("--premade", help="Data sets of texts that fooled a victim, several.")
]
Victims = Annotated[
    list[str] | None,
    typer.Option("--victims", help="Names as 'attack' takes them, zoo63@DATA, 'zoo:LSTM-*@DATA'."),
]
RuleFile = Annotated[Path, typer.Option("--rules", help="A file of rules.", readable=False)]
TrainSplit = Annotated[
    str | None,
    typer.Option("--split", help="Default: train, where the data has splits.", rich_help_panel=DATA),
]
TestSplit = Annotated[
    str | None, typer.Option("--split", help="Default: test, else validation.", rich_help_panel=DATA)
]
Count = Annotated[
    int | None, typer.Option("--n", help="How many texts, drawn by the seed; all if not given.", min=1)
]
Seed = Annotated[int, typer.Option("--seed", help="Decides the texts drawn and every random choice.", min=0)]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", help="Processes that share the work; chosen if not given.", min=1, rich_help_panel=RUN
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        help="Share the work on a Ray cluster: HOST:PORT, auto, or local.",
        metavar="ADDRESS",
        rich_help_panel=RUN,
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with work that was stopped, or start it.", rich_help_panel=RUN)
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar, no examples.", rich_help_panel=RUN)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.", rich_help_panel=RUN)]
Device = Annotated[
    str, typer.Option("--device", help="cpu, cuda or auto.", callback=check_device, rich_help_panel=RUN)
]
HtmlPage = Annotated[
    Path | None, typer.Option("--report", help="Also write an HTML page.", readable=False, rich_help_panel=RUN)
]


def load_training(data: str, split: str | None, reading: Reading) -> Dataset:
    """Load what models are trained on: the split named train, if none is named and the data has splits."""
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


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Spread each parameter that is an option dataclass into one option for each described field.

    The command itself gets the dataclass whole. The fields' descriptions are their `Option`; a field without one
    keeps its default. ``PANEL`` of the dataclass is the heading in the help text.
    """
    hints = typing.get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if isinstance(hint, type) and is_dataclass(hint):
            groups[parameter.name] = hint
            parameters += _options_of(hint)
        else:
            parameters.append(parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def gathering(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{option.name: given.pop(option.name) for option in _options_of(kind)})
        command(**given)

    gathering.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    gathering.__annotations__ = {each.name: each.annotation for each in parameters}
    return gathering


def _options_of(kind: type[Any]) -> list[inspect.Parameter]:
    hints = typing.get_type_hints(kind, include_extras=True)
    found = []
    for field in fields(kind):
        hint = hints[field.name]
        described = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Option)), None)
        if described is None:
            continue
        flag = described.flag or f"--{field.name.replace('_', '-')}"
        option = typer.Option(
            flag,
            help=described.help,
            min=described.least,
            max=described.most,
            parser=described.read,
            metavar="TEXT" if described.read else None,
            rich_help_panel=kind.PANEL,
        )
        shown = str | None if described.read else typing.get_args(hint)[0]
        found.append(
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=Annotated[shown, option],
            )
        )
    return found
