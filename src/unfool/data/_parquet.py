"""Parquet files, and the arrow tables that come out of them or out of the hub's loader."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unfool.data._rows import BadRow, Rows, Source
from unfool.data._text_file import MOST_A_ROW, is_utf8, too_long
from unfool.errors import UserError

_ALWAYS_ROOM = 256 << 20
_MOST_GROWTH = 20
"""How many times its size in the file a column may take in memory."""
_BYTES_A_ROW = 16
_ROWS_AT_ONCE = 65_536


def open_parquet(path: Path, encoding: str | None = None) -> Source:
    """Open a parquet file, whose strings are UTF-8 always."""
    from pyarrow import parquet

    if encoding is not None:
        raise UserError(f"{str(path)!r} is parquet, whose texts are UTF-8; leave --encoding {encoding} out")
    with _as_parquet(path):
        schema = parquet.read_schema(path)
    return Source(str(path), tuple(schema.names), partial(_read, path), "row", _class_names(schema))


def rows_of(table: pa.Table, texts: Sequence[str], label: str, where: str) -> Rows:
    """Take the text columns and the label column out of a table."""
    columns = [_text_column(table.column(text), text, where) for text in texts]
    everything = np.arange(table.num_rows, dtype=np.int64)
    rows = Rows(tuple(columns), _label_column(table.column(label), label, where), everything, everything + 1)
    broken = {row: reason for column in (*rows.texts, rows.labels) for row, reason in _broken(column).items()}
    if not broken:
        return rows
    good = rows.where(~np.isin(everything, list(broken)))
    bad = [BadRow(row + 1, broken[row]) for row in sorted(broken)]
    return Rows(good.texts, good.labels, good.ids, good.lines, bad)


def _read(path: Path, texts: Sequence[str], label: str) -> Rows:
    from pyarrow import parquet

    with _as_parquet(path):
        schema = parquet.read_schema(path)
        wanted = list(dict.fromkeys([*texts, label]))
        # A string that stands in a million rows is kept once by the file, and here until it is known to be short.
        strings = [name for name in wanted if _is_string(schema.field(name).type)]
        file = parquet.ParquetFile(path, read_dictionary=strings)
        most = max(_ALWAYS_ROOM, _MOST_GROWTH * path.stat().st_size)
        _check_size(path, _told_bytes(file.metadata, wanted), most)
        batches, size = [], 0
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=wanted):
            size += sum(_bytes_in(column) for column in batch.columns) + _BYTES_A_ROW * batch.num_rows
            _check_size(path, size, most)
            batches.append(batch)
        table = pa.Table.from_batches(batches) if batches else file.read(columns=wanted)
    return rows_of(table, texts, label, str(path))


def _check_size(path: Path, size: int, most: int) -> None:
    if size > most:
        raise UserError(
            f"{str(path)!r} has {path.stat().st_size / 1e6:,.1f} MB and would fill more than {most / 1e6:,.0f} MB "
            "of memory; give fewer rows, or the texts as CSV"
        )


def _told_bytes(metadata: Any, wanted: Sequence[str]) -> int:
    """Return how many bytes the file itself says that reading it takes."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    read = sum(
        chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema.partition(".")[0] in wanted
    )
    return int(read + _BYTES_A_ROW * metadata.num_rows)


def _bytes_in(column: pa.Array) -> int:
    """Return how many bytes a column takes if every row has a string of its own."""
    from pyarrow import compute, types

    if not types.is_dictionary(column.type):
        return int(column.nbytes)
    if not _is_string(column.type):
        return 0
    lengths = compute.binary_length(column.dictionary).take(column.indices)
    return int(compute.sum(lengths).as_py() or 0)


@contextmanager
def _as_parquet(path: Path) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowInvalid, OSError) as problem:
        reason = str(problem).splitlines()[0]
        raise UserError(f"cannot read {str(path)!r} as parquet: {reason}") from problem


def _class_names(schema: pa.Schema) -> dict[str, tuple[str, ...]]:
    """Return the label names that the hub's writer leaves beside the schema."""
    try:
        features = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        return {
            column: tuple(feature["names"])
            for column, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (KeyError, ValueError):
        return {}


def _text_column(column: pa.ChunkedArray, name: str, where: str) -> pa.Array:
    from pyarrow import types

    if not (_is_string(column.type) or types.is_null(column.type)):  # null: a shard of which no row has a text
        raise UserError(f"column {name!r} of {where!r} holds {column.type}, not text; name another one")
    return _joined(column.cast(pa.large_string()))


def _label_column(column: pa.ChunkedArray, name: str, where: str) -> pa.Array:
    from pyarrow import compute, types

    kind = column.type
    if types.is_floating(kind):
        column = compute.if_else(compute.is_nan(column), pa.scalar(None, kind), column)
    elif not (_is_string(kind) or types.is_integer(kind) or types.is_boolean(kind) or types.is_null(kind)):
        raise UserError(f"column {name!r} of {where!r} holds {kind}, not class labels; name another one")
    return _joined(column.cast(pa.large_string()))


def _is_string(kind: pa.DataType) -> bool:
    from pyarrow import types

    kind = kind.value_type if types.is_dictionary(kind) else kind
    return any(is_kind(kind) for is_kind in (types.is_string, types.is_large_string, types.is_string_view))


def _joined(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _broken(column: pa.Array) -> dict[int, str]:
    """Return the rows too long to be texts, and those whose bytes are no UTF-8: parquet calls them strings."""
    from pyarrow import compute

    raw = column.cast(pa.large_binary())
    lengths = compute.binary_length(raw).fill_null(0)
    long = compute.indices_nonzero(compute.greater(lengths, MOST_A_ROW)).to_pylist()
    broken = {row: too_long(lengths[row].as_py()) for row in long}
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        broken |= {row: "invalid UTF-8" for row, value in enumerate(raw) if not is_utf8(value.as_py() or b"")}
    return broken
