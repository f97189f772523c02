"""The formats of files, by the endings of their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from unfool.data._binary import refuse_binary
from unfool.data._delimited import open_csv, open_tsv
from unfool.data._jsonl import open_jsonl
from unfool.data._parquet import open_parquet
from unfool.data._rows import Source
from unfool.errors import UserError

FORMATS: dict[str, Callable[[Path, str | None], Source]] = {
    ".csv": open_csv,
    ".tsv": open_tsv,
    ".jsonl": open_jsonl,
    ".json": open_jsonl,
    ".parquet": open_parquet,
}


def open_file(path: Path, encoding: str | None = None) -> Source:
    """Open a file of any format there is.

    Args:
        path: The file.
        encoding: That of a file of text; UTF-8 where None.

    Raises:
        UserError: If its ending is of none, or it cannot be read.
    """
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise UserError(f"cannot tell the format of {str(path)!r}; its name must end in {', '.join(FORMATS)}")
    try:
        if ending != ".parquet":
            refuse_binary(path)
        return FORMATS[ending](path, encoding)
    except OSError as problem:
        raise UserError(f"cannot read {str(path)!r}: {problem.strerror}") from problem
