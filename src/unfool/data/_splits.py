"""Which split is meant."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.errors import UserError

_DEFAULTS = ("test", "validation")


class Absent(UserError):
    """A split is not there, or none of its rows has a label: who can do without it may."""


def choose_split(name: str, wanted: str | None, there: Sequence[str]) -> str:
    """Return the wanted split, or where none is named test, else validation, else the only one."""
    listed = ", ".join(there)
    if wanted is not None:
        if wanted in there:
            return wanted
        raise Absent(f"{name!r} has no split {wanted!r}; there is {listed}")
    for default in _DEFAULTS:
        if default in there:
            return default
    if len(there) == 1:
        return there[0]
    raise UserError(f"{name!r} has neither a test nor a validation split; name one of {listed}")
