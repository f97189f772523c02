"""``unfool pack`` and ``unfool unpack``: trained models for a machine that starts empty."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from unfool.cli._app import app
from unfool.report import counted


@app.command(name="pack")
def pack_command(
    names: Annotated[
        list[str],
        typer.Argument(help="MODEL@DATA, MODEL@DATA#SEED, 'LSTM-*@DATA' or zoo63@DATA.", show_default=False),
    ],
    out: Annotated[Path, typer.Option(help="The file to write.", show_default=False)],
    twins: Annotated[bool, typer.Option(help="Take each model twice, with seeds 0 and 1.")] = False,
) -> None:
    """Write trained models of the zoo, in half precision, into one file to take along."""
    from unfool import zoo

    chosen = zoo.expand_all(names, twins=twins)
    with Progress(transient=True) as bar:
        task = bar.add_task("packing", total=len(chosen))
        for named in zoo.pack(chosen, out):
            bar.update(task, advance=1, description=f"packed {named}")
    size = out.expanduser().stat().st_size / 1e6
    typer.echo(
        f"{counted(len(chosen), 'model', 'models')} in {out}, {size:.1f} MB; `unfool unpack {out}` brings them back"
    )


@app.command(name="unpack")
def unpack_command(
    files: Annotated[list[Path], typer.Argument(help="What `unfool pack` wrote.", show_default=False)],
) -> None:
    """Put packed models into the cache; those trained here stay as they are."""
    from unfool import zoo

    for file in files:
        with Progress(transient=True) as bar:
            task = bar.add_task(f"unpacking {file}", total=None)
            new = []
            for named, is_new in zoo.unpack(file):
                new.append(is_new)
                bar.update(task, description=f"unpacked {named}")
        typer.echo(f"{file}: {counted(sum(new), 'model', 'models')} unpacked, {len(new) - sum(new)} were there")
