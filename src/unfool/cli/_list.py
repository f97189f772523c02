"""``unfool list``: what there is to name."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from unfool.cli._app import app
from unfool.cli._printing import print_json, print_rows

if TYPE_CHECKING:
    from unfool.attacks import Attack
    from unfool.defences.harden import Method


class Listing(StrEnum):
    """What can be listed."""

    attacks = "attacks"
    constraints = "constraints"
    methods = "methods"
    victims = "victims"
    data = "data"
    resources = "resources"
    zoo = "zoo"


@app.command(name="list")
def list_command(
    what: Annotated[Listing, typer.Argument(help="What to list.")],
    json: Annotated[bool, typer.Option(help="Print JSON.")] = False,
) -> None:
    """List what can be named: attacks, constraints, ways to harden, kinds of victim, data, resources, the zoo."""
    rows = {
        Listing.attacks: _attacks,
        Listing.constraints: _constraints,
        Listing.methods: _methods,
        Listing.victims: _victims,
        Listing.data: _data,
        Listing.resources: _resources,
        Listing.zoo: _zoo,
    }[what]()
    if json:
        print_json(rows)
    elif rows:
        print_rows(rows)
    else:
        typer.echo(f"no {what} found")


def _attacks() -> list[dict[str, object]]:
    from unfool.attacks import attacks

    return _with_settings(attacks())


def _methods() -> list[dict[str, object]]:
    from unfool.defences.harden import methods

    return _with_settings(methods())


def _with_settings(known: Mapping[str, Attack] | Mapping[str, Method]) -> list[dict[str, object]]:
    return [
        {"name": name, "what": found.summary, "settings": repr(found).partition(":")[2].replace(",", ", ")}
        for name, found in known.items()
    ]


def _constraints() -> list[dict[str, object]]:
    from unfool.attacks import known_constraints

    return [{"name": rule.form, "what": rule.summary} for rule in known_constraints().values()]


def _victims() -> list[dict[str, object]]:
    from unfool.victims import KINDS

    return [{"name": kind.form, "what": kind.what} for kind in KINDS]


def _zoo() -> list[dict[str, object]]:
    from unfool import zoo

    trained: dict[str, list[str]] = {}
    for named in zoo.trained():
        report = named.report
        reached = f" {report.test.share:.1%}" if report and report.test else ""
        trained.setdefault(named.model, []).append(f"{named.data}{f'#{named.seed}' if named.seed else ''}{reached}")
    return [
        {
            "number": found.number or "",
            "name": name,
            "what": found.what,
            "trained": ", ".join(sorted(trained.get(name, []))),
            "stand-in": zoo.stand_in(name),
        }
        for name, found in zoo.CATALOGUE.items()
    ]


def _data() -> list[dict[str, object]]:
    from unfool.data import names

    return [{"name": name} for name in names()]


def _resources() -> list[dict[str, object]]:
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
