"""Values read from a file, held against the types they are declared with: a run may come from anywhere."""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from typing import Any

_MOST = 2**63


def check_fields(record: Any) -> None:
    """Refuse a dataclass or a named tuple of which a value is not what its field is declared to be.

    Whole numbers fit into 64 bits, and no number is infinite or none at all.

    Raises:
        ValueError: It is refused; the message names the field.
    """
    for name, is_right in _checks(record.__class__):
        if not is_right(getattr(record, name)):
            raise ValueError(f"{name!r} is {getattr(record, name)!r:.60}")


def fits(value: object, hint: Any) -> bool:
    """Say whether a value fits a type."""
    return _check(hint)(value)


@cache
def _checks(kind: Any) -> list[tuple[str, Callable[[Any], bool]]]:
    return [(name, _check(hint)) for name, hint in typing.get_type_hints(kind).items()]


@cache
def _check(hint: Any) -> Callable[[Any], bool]:
    """Return what says whether a value fits a type."""
    origin, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        each = [_check(one) for one in inner]
        return lambda value: any(fits(value) for fits in each)
    if origin in (Mapping, dict):
        fits_key, fits_value = map(_check, inner)
        return lambda value: (
            isinstance(value, dict) and all(fits_key(key) and fits_value(entry) for key, entry in value.items())
        )
    if origin is tuple and inner[-1] is not Ellipsis:
        parts = [_check(one) for one in inner]
        return lambda value: (
            isinstance(value, list | tuple)
            and len(value) == len(parts)
            and all(fits(entry) for fits, entry in zip(parts, value, strict=True))
        )
    if origin in (tuple, list, Sequence):
        fits_entry = _check(inner[0])
        return lambda value: isinstance(value, list | tuple) and all(map(fits_entry, value))
    return _SIMPLE.get(hint) or _made_of(hint)


def _made_of(kind: Any) -> Callable[[Any], bool]:
    if issubclass(kind, Enum):
        return lambda value: isinstance(value, kind)
    checks = _checks(kind)
    return lambda value: isinstance(value, kind) and all(fits(getattr(value, name)) for name, fits in checks)


def _is_whole(value: Any) -> bool:
    return type(value) is int and -_MOST <= value < _MOST


_SIMPLE: dict[Any, Callable[[Any], bool]] = {
    str: lambda value: isinstance(value, str),
    bool: lambda value: isinstance(value, bool),
    int: _is_whole,
    float: lambda value: _is_whole(value) or (type(value) is float and math.isfinite(value)),
    type(None): lambda value: value is None,
}
