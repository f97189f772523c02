"""Commands whose options come from dataclasses that Python callers use, too."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Annotated, Any

import typer

from unfool.options import Option


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Spread each parameter that is an option dataclass into one option for each described field.

    The command itself gets the dataclass whole. The fields' descriptions are their `Option`; a field without one
    keeps its default. ``PANEL`` of the dataclass is the heading in the help text.
    """
    hints = typing.get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, type[Any]] = {}
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        if isinstance(hint, type) and is_dataclass(hint):
            groups[parameter.name] = hint
            parameters += _options(hint)
        else:
            parameters.append(parameter.replace(annotation=hint, kind=inspect.Parameter.KEYWORD_ONLY))

    @wraps(command)
    def gathering(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{option.name: given.pop(option.name) for option in _options(kind)})
        command(**given)

    gathering.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    gathering.__annotations__ = {each.name: each.annotation for each in parameters}
    return gathering


def _options(kind: type[Any]) -> list[inspect.Parameter]:
    hints = typing.get_type_hints(kind, include_extras=True)
    found = []
    for field in fields(kind):
        hint = hints[field.name]
        described = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Option)), None)
        if described is None:
            continue
        flag = described.flag or f"--{field.name.replace('_', '-')}"
        option = typer.Option(
            flag,
            help=described.help,
            min=described.least,
            max=described.most,
            parser=described.read,
            metavar="TEXT" if described.read else None,
            rich_help_panel=kind.PANEL,
        )
        shown = str | None if described.read else typing.get_args(hint)[0]
        found.append(
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=Annotated[shown, option],
            )
        )
    return found
