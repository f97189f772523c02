"""Settings that are too small are refused where they are made."""

from __future__ import annotations

from unfool.errors import UserError


def at_least(least: float, **given: float) -> None:
    """Refuse settings below a limit.

    Raises:
        UserError: One of them is; the message names it.
    """
    for name, value in given.items():
        if not value >= least:
            raise UserError(f"{name}={value} is too small; give {least} or more")
