"""``unfool list``: what there is to name; ``unfool resources``: weights, vectors and word lists."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from unfool.cli import options as option
from unfool.cli.app import tell
from unfool.cli.printing import print_json, print_rows
from unfool.registry import OWN, Named, Registry


class Listing(StrEnum):
    """What can be listed."""

    attacks = "attacks"
    constraints = "constraints"
    methods = "methods"
    goals = "goals"
    victims = "victims"
    data = "data"
    resources = "resources"
    zoo = "zoo"


def list_command(
    what: Annotated[Listing, typer.Argument(help="What to list.")],
    json: option.AsJson = False,
) -> None:
    """List what can be named: attacks, constraints, ways to harden, goals, victims, data, resources, the zoo."""
    rows = _rows(what)
    if json:
        print_json(rows)
    elif rows:
        print_rows(rows)
    else:
        typer.echo(f"no {what} found")


def _rows(what: Listing) -> list[dict[str, object]]:
    match what:
        case Listing.attacks:
            from unfool.attacks import ATTACKS

            return _registered(ATTACKS, _with_settings)
        case Listing.constraints:
            from unfool.attacks import CONSTRAINTS, PROFILES

            rules = _registered(CONSTRAINTS, lambda rule: {"name": rule.form, "what": _said(rule)})
            return rules + [
                {"name": name, "what": stands_for or "Nothing more."} for name, stands_for in PROFILES.items()
            ]
        case Listing.methods:
            from unfool.defences.harden import METHODS

            return _registered(METHODS, _with_settings)
        case Listing.goals:
            from unfool.generation import told_goals

            return [{"name": name, "what": what} for name, what in told_goals().items()]
        case Listing.victims:
            from unfool.generation import GENERATOR_KINDS
            from unfool.victims import VICTIM_KINDS

            return _kinds(VICTIM_KINDS) + _kinds(GENERATOR_KINDS, "With --goal: ")
        case Listing.data:
            from unfool.data import names

            return [{"name": name} for name in names()]
        case Listing.resources:
            return _resources()
        case Listing.zoo:
            return _zoo()


def _registered(registry: Registry[Any], row: Callable[[Any], dict[str, object]]) -> list[dict[str, object]]:
    """Return a row of each thing that can be used, and warn of those that cannot."""
    for problem in registry.problems():
        tell(f"warning: {problem}")
    return [row(found) for found in registry.all().values()]


def _with_settings(found: Named) -> dict[str, object]:
    settings = repr(found).removeprefix(found.name).removeprefix(":")
    return {"name": found.name, "what": _said(found), "settings": settings.replace(",", ", ")}


def _kinds(registry: Registry[Any], before: str = "") -> list[dict[str, object]]:
    return _registered(
        registry, lambda kind: {"name": kind.form or f"{kind.name}:…", "what": f"{before}{_said(kind)}"}
    )


def _said(found: Named) -> str:
    """Return the summary, and of a plug-in the package it comes from."""
    return found.summary if found.origin == OWN else f"{found.summary} (from {found.origin})"


def _zoo() -> list[dict[str, object]]:
    from unfool import zoo
    from unfool.zoo import translators

    trained: dict[str, list[str]] = {}
    for named in zoo.trained():
        report = named.report
        reached = f" {report.test.share:.1%}" if report and report.test else ""
        trained.setdefault(named.model, []).append(f"{named.data}{f'#{named.seed}' if named.seed else ''}{reached}")
    for translator in translators.trained():
        reached = f" BLEU {translators.training(translator)['bleu']:.1f}"
        told = str(translator).partition("@")[2]
        trained.setdefault(translator.model, []).append(told + reached)
    classifiers: list[dict[str, object]] = [
        {
            "number": found.number or "",
            "name": name,
            "what": found.what,
            "trained": ", ".join(sorted(trained.get(name, []))),
            "stand-in": zoo.stand_in(name),
        }
        for name, found in zoo.CATALOGUE.items()
    ]
    return classifiers + [
        {"number": "", "name": name, "what": what, "trained": ", ".join(trained.get(name, [])), "stand-in": ""}
        for name, what in translators.WHAT.items()
    ]


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


resources_app = typer.Typer(
    help="Weights, word vectors and word lists, kept in the user's cache.", no_args_is_help=True
)


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
    json: option.AsJson = False,
) -> None:
    """Print where a resource lies."""
    from unfool import resources

    path = resources.path(name)
    if json:
        print_json({"name": name, "path": str(path)})
    else:
        typer.echo(path)
