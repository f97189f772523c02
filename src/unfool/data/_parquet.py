"""Parquet files, and the arrow tables that come out of them or out of the hub's loader."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from unfool.data._rows import BadRow, Rows, Source
from unfool.errors import UserError


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
    broken = sorted(set().union(*(_not_utf8(column) for column in (*rows.texts, rows.labels))))
    if not broken:
        return rows
    good = rows.where(~np.isin(everything, broken))
    return Rows(good.texts, good.labels, good.ids, good.lines, [BadRow(row + 1, "invalid UTF-8") for row in broken])


def _read(path: Path, texts: Sequence[str], label: str) -> Rows:
    from pyarrow import parquet

    with _as_parquet(path):
        table = parquet.ParquetFile(path).read(columns=list(dict.fromkeys([*texts, label])))
    return rows_of(table, texts, label, str(path))


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


def _not_utf8(column: pa.Array) -> set[int]:
    """Return the rows whose bytes are no UTF-8: parquet calls them strings all the same."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return {row for row, value in enumerate(column.cast(pa.large_binary())) if not _is_utf8(value.as_py())}
    return set()


def _is_utf8(value: bytes | None) -> bool:
    try:
        (value or b"").decode()
    except UnicodeDecodeError:
        return False
    return True
