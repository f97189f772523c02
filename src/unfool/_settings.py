"""Settings written as text, ``key=value,key=value``, and back; read by their annotations, nothing is evaluated."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

from unfool.errors import UserError, did_you_mean


def split(text: str, spec: str) -> dict[str, str]:
    """Return the keys and values of ``key=value,key=value``, which stands in ``spec``."""
    given: dict[str, str] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise UserError(
                f"cannot read {part!r} in {spec!r}; settings are written key=value, with commas between"
            )
        given[key.strip()] = value.strip()
    return given


def read(owner: str, given: Mapping[str, str], hints: Mapping[str, Any]) -> dict[str, Any]:
    """Read settings by their annotations.

    Args:
        owner: Whose settings they are, as a message names it: ``the attack 'pwws'``.
        given: What the user wrote.
        hints: Every setting's annotation.

    Raises:
        UserError: An unknown setting, or a value it does not take.
    """
    for key in given:
        if key not in hints:
            raise UserError(f"{owner} has no setting {key!r}{did_you_mean(key, hints)}")
    return {key: _read(owner, key, value, hints[key]) for key, value in given.items()}


def told(value: object) -> str:
    """Write a value as `read` reads it."""
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _read(owner: str, key: str, value: str, hint: Any) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value == "none" and type(None) in arguments:
            return None
        (hint,) = [argument for argument in arguments if argument is not type(None)]
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    wrong = f"{owner} cannot take {key}={value}"
    if origin is Literal:
        if value not in arguments:
            raise UserError(f"{wrong}{did_you_mean(value, map(str, arguments))}")
        return value
    if hint is bool:
        if value not in ("true", "false"):
            raise UserError(f"{wrong}; it is true or false")
        return value == "true"
    try:
        return hint(value)
    except ValueError:
        raise UserError(f"{wrong}; it takes {'a whole number' if hint is int else 'a number'}") from None
