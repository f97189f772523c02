"""``unfool list``: what there is to name."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from unfool.cli._app import app
from unfool.cli._printing import print_json, print_table


class Listing(StrEnum):
    """What can be listed."""

    attacks = "attacks"
    victims = "victims"
    data = "data"
    resources = "resources"


@app.command(name="list")
def list_command(
    what: Annotated[Listing, typer.Argument(help="What to list.")],
    json: Annotated[bool, typer.Option(help="Print JSON.")] = False,
) -> None:
    """List the attacks, kinds of victim, data sets or resources that can be named."""
    rows = {
        Listing.attacks: _attacks,
        Listing.victims: _victims,
        Listing.data: _data,
        Listing.resources: resource_rows,
    }[what]()
    if json:
        print_json(rows)
    elif rows:
        print_table(list(rows[0]), [[str(value) for value in row.values()] for row in rows])
    else:
        typer.echo(f"no {what} found")


def _attacks() -> list[dict[str, object]]:
    from unfool.attacks import attacks

    return [
        {
            "name": name,
            "what": recipe.summary,
            "settings": repr(recipe).partition(":")[2].replace(",", ", "),
        }
        for name, recipe in attacks().items()
    ]


def _victims() -> list[dict[str, object]]:
    from unfool.victims import KINDS
    from unfool.zoo import names

    kinds: list[dict[str, object]] = [{"name": kind.form, "what": kind.what} for kind in KINDS]
    zoo: list[dict[str, object]] = [{"name": f"zoo:{name}@DATA", "what": "a model of the zoo"} for name in names()]
    return kinds + zoo


def _data() -> list[dict[str, object]]:
    from unfool.data import names

    return [{"name": name} for name in names()]


def resource_rows() -> list[dict[str, object]]:
    """Describe every resource: its name, whether it is here, what it is, its licence."""
    from unfool import resources

    return [
        {
            "name": name,
            "here": "yes" if resources.is_present(name) else "no",
            "what": resources.info(name).what,
            "licence": resources.info(name).licence,
        }
        for name in resources.names()
    ]
