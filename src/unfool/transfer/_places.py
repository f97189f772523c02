"""Where the parts of a study lie in its folder."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from unfool.transfer._column import Column


class Places(NamedTuple):
    """The folder of a study."""

    folder: Path

    @property
    def study(self) -> Path:
        """The file of its names and settings."""
        return self.folder / "study.json"

    @property
    def matrix(self) -> Path:
        """The file of its rates, once all is done."""
        return self.folder / "matrix.json"

    @property
    def runs(self) -> Path:
        """The folder of its runs."""
        return self.folder / "sources"

    @property
    def cells(self) -> Path:
        """The folder of its columns."""
        return self.folder / "cells"

    def run(self, source: str) -> Path:
        """Return the folder of the run against a source."""
        return self.runs / file_name(source)

    def column(self, target: str) -> Column:
        """Return a target's column."""
        return Column(self.cells / f"{file_name(target)}.jsonl")


def file_name(name: str) -> str:
    """Return a name that any file system takes, readable and different for different victims."""
    readable = re.sub(r"[^\w.@#+-]+", "-", name).strip("-")[:80]
    return f"{readable}~{hashlib.sha256(name.encode('utf-8', 'backslashreplace')).hexdigest()[:8]}"
