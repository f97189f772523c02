"""The app itself: commands found by entry points, exit codes, and what an error looks like."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, NoReturn

import typer
from typer.core import TyperGroup

from unfool import __version__
from unfool.cli import EXIT_STOPPED
from unfool.cli.in_a_row import CommandOfNames
from unfool.errors import UserError
from unfool.parallel import on_cluster
from unfool.registry import Named, Registry
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
    """Say what is kept if the user stops the work; nothing is before the folder it goes to is there."""
    try:
        yield
    except KeyboardInterrupt:
        kept = "; what was done is kept: give the same command with --resume to go on"
        typer.echo(f"stopped{kept if folder is None or folder.exists() else ' before anything was done'}", err=True)
        raise typer.Exit(EXIT_STOPPED) from None


@contextmanager
def shared_on(cluster: str | None) -> Iterator[None]:
    """Share the work on a cluster, if one is named; what Ray says goes to the errors, never among results."""
    with redirect_stdout(sys.stderr) if cluster else nullcontext(), on_cluster(cluster):
        yield


@dataclass(frozen=True, kw_only=True, repr=False)
class Command(Named):
    """A function that Typer makes a command of, or a `typer.Typer` of several commands."""

    KIND: ClassVar[str] = "command"


COMMANDS = Registry("unfool.commands", Command, lambda function: Command(name="", function=function))
"""Every command by name."""


class Commands(TyperGroup):
    """Imports a command only when it is called, or all of them for the help text."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of commands; warn of plug-ins that cannot be imported."""
        usable = []
        for name in COMMANDS.names():
            try:
                self.get_command(ctx, name)
            except UserError as error:
                tell(f"warning: {error}")
            else:
                usable.append(name)
        return usable

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by name."""
        found = COMMANDS.find(cmd_name)
        try:
            command = _made_by_typer(found.function)
        except (TypeError, NameError, RuntimeError) as error:
            raise UserError(
                f"the command {cmd_name!r} of the package {found.origin} is no command: {error}"
            ) from error
        command.name = cmd_name
        return command


def _made_by_typer(function: Any) -> Any:
    if isinstance(function, typer.Typer):
        return typer.main.get_group(function)
    single = typer.Typer(add_completion=False, rich_markup_mode="rich")
    single.command(cls=CommandOfNames)(function)
    return typer.main.get_command(single)


app = typer.Typer(
    name="unfool",
    cls=Commands,
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
    _keep_results_apart()
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


def _keep_results_apart() -> None:
    """Print results where standard output leads now; what libraries and children print there goes to the errors."""
    try:
        if sys.stdout.fileno() != 1 or sys.stderr.fileno() != 2:
            return
        sys.stdout.flush()
        results = os.dup(1)
        os.dup2(2, 1)
    except (OSError, ValueError, AttributeError):  # closed, or no files: then nobody reads them either
        return
    sys.stdout = open(  # noqa: SIM115 (open for as long as the program runs)
        results, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, newline=None, buffering=1
    )
