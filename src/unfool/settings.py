"""Settings written as text, ``key=value,key=value``, and back; read by their annotations, nothing is evaluated."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

from unfool.errors import UserError, did_you_mean


def split_spec(spec: str) -> tuple[str, dict[str, str]]:
    """Return the name and the settings of ``name`` or ``name:key=value,key=value``."""
    name, _, tail = spec.partition(":")
    return name, split_settings(tail, spec)


def split_settings(text: str, spec: str) -> dict[str, str]:
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


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """Return every setting of a function, its keyword-only arguments, with its default."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}


def read_settings(owner: str, function: Callable[..., Any], given: Mapping[str, str]) -> dict[str, Any]:
    """Read settings by the annotations of a function's keyword-only arguments.

    Args:
        owner: Whose settings they are, as a message names it: ``the attack 'pwws'``.
        function: The function, or a class of keyword-only fields.
        given: What the user wrote.

    Raises:
        UserError: An unknown setting, or a value it does not take.
    """
    hints = typing.get_type_hints(function)
    return read_values(owner, {key: hints[key] for key in defaults(function)}, given)


def read_values(owner: str, known: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    """Read settings as `read_settings` does, by what is known of each: a type, or a function that reads it."""
    for key in given:
        if key not in known:
            raise UserError(f"{owner} has no setting {key!r}{did_you_mean(key, known)}")
    return {key: _read(owner, key, value, known[key]) for key, value in given.items()}


def written(name: str, settings: Mapping[str, Any]) -> str:
    """Write a name and settings as `split_spec` reads them."""
    return f"{name}:{written_settings(settings)}" if settings else name


def written_settings(settings: Mapping[str, Any]) -> str:
    """Write settings as ``key=value,key=value``."""
    return ",".join(f"{key}={as_text(value)}" for key, value in settings.items())


def as_text(value: object) -> str:
    """Write a value as `read_settings` reads it."""
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


def at_least(least: float, **given: float) -> None:
    """Refuse settings below a limit.

    Raises:
        UserError: One of them is; the message names it.
    """
    for name, value in given.items():
        if not value >= least:
            raise UserError(f"{name}={value} is too small; give {least} or more")
