"""The app itself: commands, and what an error looks like."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from unfool import __version__
from unfool.cli import EXIT_STOPPED
from unfool.cli._streams import keep_results_apart
from unfool.errors import UserError
from unfool.visible import visible_line

EXIT_USER_ERROR = 2
"""Something given cannot be used; nothing was lost."""
EXIT_SOME_FAILED = 3
"""The run is finished, but some samples have no result."""
EXIT_NOTHING_TRIED = 4
"""The run is finished, but the attack proposed no change for more than half of the samples it attacked."""


def tell(said: object) -> None:
    """Say something beside a command's answer, in one line; no name or error in it can steer the terminal."""
    typer.echo(visible_line(said), err=True)


@contextmanager
def stoppable(folder: Path | None = None) -> Iterator[None]:
    """Say what is kept where the user stops the work; nothing is before the folder it goes to is there."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "; what was done is kept: give the same command with --resume to go on"
        typer.echo(f"stopped{kept if folder is None or folder.exists() else ' before anything was done'}", err=True)
        raise typer.Exit(EXIT_STOPPED) from None


app = typer.Typer(
    name="unfool",
    help="Find the texts that fool a text model, see why they fool it, and harden the model against them.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False) -> None:
    if version:
        typer.echo(f"unfool {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; errors of the user end it with one line and exit code 2."""
    from unfool.cli import (  # noqa: F401 (each adds its commands to the app)
        _attack,
        _audit,
        _evaluate,
        _harden,
        _list,
        _pack,
        _resources,
        _rules,
        _runs,
        _search,
        _train,
        _transfer,
        _try,
    )

    for entry in entry_points(group="unfool.commands"):
        entry.load()  # its commands add themselves to the app

    keep_results_apart()
    for stream in (sys.stdout, sys.stderr):
        # Texts may hold anything; a terminal that cannot show it must not end a run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except UserError as error:
        _end(str(error))
    except MemoryError:
        _end("the memory of this machine does not hold what was asked for; give less at a time, or smaller files")


def _end(said: str) -> NoReturn:
    tell(f"error: {said}")
    sys.exit(EXIT_USER_ERROR)
