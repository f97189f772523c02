"""Values as JSON, and files of JSON that may come from anywhere."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
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
    # What is mostly false, or empty, is written only where it is not.
    return {field.name: value for field, value in values if not (value in (False, "") and value == field.default)}


def id_in(line: bytes) -> int | None:
    """Return the id of a record, or None where the line is damaged."""
    try:
        number = json.loads(line)["id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return number if isinstance(number, int) and abs(number) < 2**63 else None


def read_json(path: Path) -> Any:
    """Return what a file of JSON holds.

    Raises:
        UserError: It is damaged, or larger than anything unfool writes.
    """
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
