"""``unfool app``: attacks to try and runs to look at, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from unfool.cli.options import grouped
from unfool.errors import UserError, not_installed
from unfool.options import Options

_TRY = "What visitors may try"


@grouped
def app_command(
    *,
    runs: Annotated[Path, typer.Argument(help="The folder below which runs lie.", readable=False)] = Path("runs"),
    victims: Annotated[
        list[str] | None,
        typer.Option(help="A classifier that visitors may attack; once for each. No other is opened.",
                     rich_help_panel=_TRY),
    ] = None,
    translators: Annotated[
        list[str] | None,
        typer.Option(help="The same for a translator, or another model that generates.", rich_help_panel=_TRY),
    ] = None,
    seconds: Annotated[
        float, typer.Option(help="The longest that one attack may take.", min=1, rich_help_panel=_TRY)
    ] = 60,
    options: Options,
    port: Annotated[int, typer.Option(help="The port; 0 takes any that is free.", min=0, max=65535)] = 8000,
    host: Annotated[
        str, typer.Option(help="The address to serve at; another than this machine's needs a password.")
    ] = "127.0.0.1",
    password: Annotated[
        str | None, typer.Option(help="What visitors must give, with any user name.", envvar="UNFOOL_PASSWORD")
    ] = None,
) -> None:  # fmt: skip
    """Serve pages until Ctrl-C: attacks to try on texts of your own, and the runs below a folder."""
    try:
        from unfool.app import Place, Shelf, serve, unfool_app
    except ModuleNotFoundError:
        raise not_installed("pages are made with FastAPI", "app") from None
    shelf = Shelf(victims or (), translators or (), options)
    if not runs.is_dir() and not (victims or translators):
        raise UserError(f"{runs} is no folder; give the one below which runs lie, or --victims to try")
    place = Place(host, port)
    if not place.is_local and not password:
        raise UserError(f"--host {host} lets others in; give a --password, or leave --host away")

    def ready(address: str) -> None:
        print(address, flush=True)
        if victims or translators:
            print(f"{address}/try", flush=True)

    serve(unfool_app(runs, shelf, seconds), place, ready, password)
