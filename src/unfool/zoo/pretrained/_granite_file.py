"""The file the granite encoder comes in: a header, a tokenizer and tensors, some of them in 8 bits.

The layout: a magic word, the length of the header, the header in JSON (the net's sizes, the tokenizer's length, a
row for each tensor), the tokenizer's text, and the tensors end to end. A tensor in 8 bits is its values, then one
float32 scale for each ``group`` of them. Nothing in the file is trusted: whatever does not add up is damage.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_MAGIC = b"HMSEMB01"
_START = len(_MAGIC) + 8
_FLOAT = np.dtype("<f4")

Floats = NDArray[np.float32]


class Damaged(ValueError):
    """The file is not what it says it is."""


class GraniteFile(NamedTuple):
    """What the file holds: the sizes of the net, the text of its ``tokenizer.json``, the tensors by name."""

    sizes: dict[str, Any]
    tokenizer: str
    tensors: dict[str, Floats]


def read_granite(file: Path) -> GraniteFile:
    """Read the file, every tensor as float32.

    Raises:
        Damaged: If the file is cut short, altered, or of another kind.
    """
    content = memoryview(file.read_bytes())
    if bytes(content[: len(_MAGIC)]) != _MAGIC or len(content) < _START:
        raise Damaged("it does not start as such a file does")
    at = _START + int.from_bytes(content[len(_MAGIC) : _START], "little")
    try:
        header = json.loads(bytes(_cut(content, _START, at)))
        sizes, rows, tokenizer_end = header["arch"], header["tensors"], at + _count(header["tokenizer_len"])
        tokenizer = bytes(_cut(content, at, tokenizer_end)).decode()
        tensors: dict[str, Floats] = {}
        at = tokenizer_end
        for row in rows:
            end = at + _count(row["len"])
            tensors[row["name"]] = _tensor(_cut(content, at, end), row)
            at = end
    except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise Damaged(f"its header makes no sense: {type(error).__name__} {error}") from error
    if at != len(content) or len(tensors) != len(rows):
        raise Damaged(f"its {len(rows)} tensors end at byte {at} of {len(content)}")
    return GraniteFile(sizes, tokenizer, tensors)


def _cut(content: memoryview, start: int, end: int) -> memoryview:
    if end > len(content):
        raise Damaged(f"it ends at byte {len(content)}, before byte {end}")
    return content[start:end]


def _count(number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise Damaged(f"{number!r} is no count")
    return number


def _tensor(content: memoryview, row: dict[str, Any]) -> Floats:
    shape = tuple(_count(size) for size in row["shape"])
    values = math.prod(shape)
    if row["dtype"] == "f32":
        _insist_on_length(row, content, values * _FLOAT.itemsize)
        floats = np.frombuffer(content, _FLOAT).astype(np.float32)
    elif row["dtype"] == "i8":
        group = _count(row["group"])
        if not group or values % group:
            raise Damaged(f"the {values} values of {row['name']!r} make no groups of {group}")
        _insist_on_length(row, content, values + values // group * _FLOAT.itemsize)
        steps = np.frombuffer(content, np.int8, values).reshape(-1, group)
        floats = steps * np.frombuffer(content, _FLOAT, offset=values).astype(np.float32)[:, None]
    else:
        raise Damaged(f"the type {row['dtype']!r} of {row['name']!r} is unknown")
    if not np.isfinite(floats).all():
        raise Damaged(f"{row['name']!r} holds numbers that are none")
    return floats.reshape(shape)


def _insist_on_length(row: dict[str, Any], content: memoryview, expected: int) -> None:
    if len(content) != expected:
        raise Damaged(f"{row['name']!r} has {len(content)} bytes, its shape asks for {expected}")
