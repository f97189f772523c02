"""``unfool resources``: weights, vectors and word lists."""

from __future__ import annotations

from typing import Annotated

import typer

from unfool.cli._app import app
from unfool.cli._list import Listing, list_command
from unfool.cli._printing import print_json

resources_app = typer.Typer(
    help="Weights, word vectors and word lists, kept in the user's cache.", no_args_is_help=True
)
app.add_typer(resources_app, name="resources")


@resources_app.command(name="list")
def list_resources(json: Annotated[bool, typer.Option(help="Print JSON.")] = False) -> None:
    """List the resources, and which of them are here."""
    list_command(Listing.resources, json)


@resources_app.command(name="get")
def get_resources(names: Annotated[list[str], typer.Argument(help="Names of resources, or 'all'.")]) -> None:
    """Fetch resources into the cache and check them; nothing is executed."""
    from unfool import resources

    for name in resources.names() if names == ["all"] else names:
        typer.echo(resources.get(name))


@resources_app.command(name="path")
def resource_path(
    name: Annotated[str, typer.Argument(help="The name of a resource.")],
    json: Annotated[bool, typer.Option(help="Print JSON.")] = False,
) -> None:
    """Print where a resource lies."""
    from unfool import resources

    path = resources.path(name)
    if json:
        print_json({"name": name, "path": str(path)})
    else:
        typer.echo(path)
