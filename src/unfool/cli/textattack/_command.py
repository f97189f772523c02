"""``unfool from-textattack``: a TextAttack command line in, ours out."""

from __future__ import annotations

from typing import Annotated

import typer

from unfool.cli.app import tell
from unfool.cli.textattack._translate import translate


def from_textattack(
    command: Annotated[str, typer.Argument(metavar="COMMAND", help="The whole command line, in quotes.")],
) -> None:
    """Print what a `textattack attack …` command line is here, and what of it has no counterpart."""
    found = translate(command)
    for line in found.commands:
        typer.echo(line)
    if found.lost:
        tell(f"no counterpart: {'; '.join(found.lost)}")
