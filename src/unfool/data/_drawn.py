"""``NAME[N]``: so many samples of each split of a data set."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from unfool.errors import UserError

_NUMBERED = re.compile(r"(?P<name>.+)\[(?P<n>[^\[\]]*)\]")


class Drawn(NamedTuple):
    """A data set's name, and how many samples of each split are meant; all where None."""

    name: str
    n: int | None = None


def drawn(name: str) -> Drawn:
    """Read a name that may end in a number in brackets; a file that is really called so is that file.

    Raises:
        UserError: If there is no number in the brackets.
    """
    match = None if Path(name).expanduser().exists() else _NUMBERED.fullmatch(name)
    if not match:
        return Drawn(name)
    if not match["n"].isdigit() or not int(match["n"]):
        raise UserError(f"{name!r}: the brackets must hold the number of samples of each split, such as [2000]")
    return Drawn(match["name"], int(match["n"]))
