"""Values as JSON, files of JSON that may come from anywhere, and their values held against declared types."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from unfool.errors import UserError

JSON: TypeAlias = "bool | int | float | str | Sequence[JSON] | Mapping[str, JSON] | None"
_MOST_JSON = 16 << 20


def to_json(value: object, indent: int | None = None) -> bytes:
    r"""Return JSON as valid UTF-8.

    A lone surrogate has no UTF-8 form, so it is written as JSON's own escape (``\ud800``), which any reader
    turns back into what it was.
    """
    string = json.dumps(value, default=by_name, ensure_ascii=False, allow_nan=False, indent=indent)
    return string.encode("utf-8", "backslashreplace")


def by_name(record: Any) -> dict[str, object]:
    """Return the fields of a dataclass by name, without those left as they mostly are."""
    values = ((field, getattr(record, field.name)) for field in dataclasses.fields(record))
    # What is mostly false, or empty, is written only if it is not.
    return {field.name: value for field, value in values if not (value in (False, "") and value == field.default)}


def as_plain(value: Any) -> Any:
    """Return figures as JSON holds them: a dict for what has fields, a list for a tuple."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "to_json"):
        return value.to_json()
    if dataclasses.is_dataclass(value):
        return {field.name: as_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, Mapping):
        return {name: as_plain(each) for name, each in value.items()}
    return list(map(as_plain, value)) if isinstance(value, tuple) else value


def parse_line(line: bytes) -> Any:
    """Return what a line of JSON holds, as `json.loads` does, a third sooner: for files of millions of lines.

    Raises:
        ValueError: It is no JSON.
    """
    text = line.decode("utf-8", "surrogatepass").strip()
    found, end = _DECODE(text)
    if end != len(text):
        raise ValueError(f"{text[end:]!r:.60} follows the record")
    return found


def id_in(line: bytes) -> int | None:
    """Return the id of a record, or None if the line is damaged."""
    try:
        number = parse_line(line)["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return number if isinstance(number, int) and abs(number) < 2**63 else None


def read_json(path: Path) -> Any:
    """Return what a file of JSON holds; refuse one that is damaged, or larger than anything unfool writes."""
    try:
        if path.stat().st_size > _MOST_JSON:
            raise UserError(f"{path} has more than {_MOST_JSON >> 20} MB, as unfool writes none; restore it")
        return json.loads(path.read_bytes(), parse_float=finite, parse_constant=finite)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is damaged ({error}); restore it") from error


def finite(written: str) -> float:
    """Return a number of JSON; raise a `ValueError` for those that JSON does not have, but Python reads."""
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(f"{written[:20]} is no number")
    return number


_DECODE = json.JSONDecoder().raw_decode
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
    """Return whether a value fits a type."""
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
