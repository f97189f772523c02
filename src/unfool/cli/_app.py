"""``unfool app``: runs in a browser."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from unfool.errors import UserError, not_installed


def app_command(
    runs: Annotated[Path, typer.Argument(help="The folder below which runs lie.", readable=False)] = Path("runs"),
    port: Annotated[int, typer.Option(help="The port; 0 takes any that is free.", min=0, max=65535)] = 8000,
    host: Annotated[
        str, typer.Option(help="The address to serve at; another than this machine's needs a password.")
    ] = "127.0.0.1",
    password: Annotated[
        str | None, typer.Option(help="What visitors must give, with any user name.", envvar="UNFOOL_PASSWORD")
    ] = None,
) -> None:
    """Serve the runs below a folder until Ctrl-C: a list to search, and the report of each."""
    try:
        from unfool.app import Place, runs_app, serve
    except ImportError:
        raise not_installed("pages are made with FastAPI", "app") from None
    if not runs.is_dir():
        raise UserError(f"{runs} is no folder; give the one below which runs lie")
    place = Place(host, port)
    if not place.is_local and not password:
        raise UserError(f"--host {host} lets others see the runs; give a --password, or leave --host away")
    serve(runs_app(runs), place, partial(print, flush=True), password)
