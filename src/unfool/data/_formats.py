"""Files by the endings of their names, and the shards of a split read as one file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from unfool.data._delimited import open_csv, open_tsv
from unfool.data._jsonl import open_jsonl
from unfool.data._parquet import open_parquet
from unfool.data._rows import BadRow, Rows, Source
from unfool.data._text_file import refuse_binary
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


def join(shards: Sequence[Source], where: str) -> Source:
    """Return shards as one source, in their order; its rows are counted through all of them."""
    first = shards[0]
    return Source(where, first.columns, partial(_read, shards), "row", first.class_names)


def _read(shards: Sequence[Source], texts: Sequence[str], label: str) -> Rows:
    for shard in shards:
        missing = {*texts, label} - set(shard.columns)
        if missing:
            raise UserError(f"the shard {shard.where!r} has no column {min(missing)!r}, which the first one has")
    parts = []
    start = 0
    for shard in shards:
        rows = shard.read(texts, label)
        parts.append(_counted_from(start, rows))
        start += len(rows.ids) + len(rows.bad)
    ids = np.concatenate([part.ids for part in parts])
    return Rows(
        tuple(pa.concat_arrays(column) for column in zip(*(part.texts for part in parts), strict=True)),
        pa.concat_arrays([part.labels for part in parts]),
        ids,
        ids + 1,
        [bad for part in parts for bad in part.bad],
    )


def _counted_from(start: int, rows: Rows) -> Rows:
    """Number the rows of a shard from where the one before it ended, and its bad rows with them."""
    unread = np.setdiff1d(np.arange(len(rows.ids) + len(rows.bad)), rows.ids)
    bad = [BadRow(start + int(id_) + 1, row.reason) for id_, row in zip(unread, rows.bad, strict=True)]
    return Rows(rows.texts, rows.labels, rows.ids + start, rows.lines, bad)
