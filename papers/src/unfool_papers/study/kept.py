"""Results that were kept as files, as in ``results/``: a study takes what is there instead of doing it again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from unfool.errors import UserError
from unfool_papers.study.record import Record
from unfool_papers.study.row import Row

_ROWS = "attacks"


class Kept(NamedTuple):
    """A folder of results."""

    folder: Path

    def read(self, name: str) -> dict[str, Any] | None:
        """Return the results of a name, if there are any.

        Raises:
            UserError: If the file cannot be read.
        """
        file = self.folder / f"{name}.json"
        if not file.is_file():
            return None
        try:
            return dict(json.loads(file.read_bytes()))
        except (ValueError, TypeError) as error:
            raise UserError(f"{file} holds no results: {error}") from error

    def records(self, rows: Iterable[Row], *, of_as_many: bool = True) -> dict[str, Record]:
        """Return the records of rows that were measured, on as many texts as they ask for, or on any number."""
        found = {each["row"]: each for each in (self.read(_ROWS) or {}).get("rows", ())}
        return {
            row.name: found[row.name]
            for row in rows
            if row.name in found and (not of_as_many or found[row.name]["n"] == row.n)
        }
