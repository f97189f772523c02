"""Weights in half precision, for the way, and back; files of strangers are read a piece at a time."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from unfool.errors import UserError

_WHOLE = "whole"
"""Under this key a file of weights names those that were not shortened."""
_BYTES_A_NUMBER = {
    **dict.fromkeys(("U64", "I64", "F64"), 8),
    **dict.fromkeys(("F32", "U32", "I32"), 4),
    **dict.fromkeys(("BF16", "F16", "U16", "I16"), 2),
    **dict.fromkeys(("I8", "U8", "BOOL"), 1),
}
"""In the order in which safetensors writes them, so that each number begins at a multiple of its width."""
_RANKS = {kind: rank for rank, kind in enumerate(_BYTES_A_NUMBER)}
_LENGTH_BYTES = 8
_MOST_HEADER_BYTES = 16 << 20
_NUMBERS_AT_ONCE = 1 << 20


class Stored(NamedTuple):
    """A tensor as a file of weights tells of it."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


def shortened(weights: bytes) -> bytes:
    """Return weights with what is in single precision, and bears it, in half."""
    import torch
    from safetensors.torch import load, save

    shorter, whole = {}, []
    for name, weight in load(weights).items():
        half = weight.half()
        fits = weight.dtype is torch.float32 and bool(torch.isfinite(half).all())
        shorter[name] = half if fits else weight
        whole += [] if fits else [name]
    # Hugging Face reads no file of weights that does not say it is PyTorch's.
    return save(shorter, {"format": "pt", _WHOLE: json.dumps(whole)})


def lengthen(source: Path, target: Path) -> None:
    """Write weights as they were stored before they were shortened.

    Raises:
        UserError: If they were not packed by `unfool pack`.
    """
    try:
        tensors, metadata, first = _header(source)
        whole = set(json.loads(metadata[_WHOLE]))
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise UserError(
            "the weights in this file were not packed by `unfool pack`; pack the models again"
        ) from problem
    half = {name for name, tensor in tensors.items() if tensor.dtype == "F16" and name not in whole}
    kinds = {name: "F32" if name in half else tensor.dtype for name, tensor in tensors.items()}
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    order = sorted(tensors, key=lambda name: (_RANKS[kinds[name]], name))
    end = 0
    for name in order:
        tensor = tensors[name]
        begin, end = end, end + math.prod(tensor.shape) * _BYTES_A_NUMBER[kinds[name]]
        header[name] = {"dtype": kinds[name], "shape": tensor.shape, "data_offsets": [begin, end]}
    told = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    told += b" " * (-len(told) % _LENGTH_BYTES)
    with source.open("rb") as reading, target.open("wb") as writing:
        writing.write(len(told).to_bytes(_LENGTH_BYTES, "little") + told)
        for name in order:
            reading.seek(first + tensors[name].start)
            left = tensors[name].end - tensors[name].start
            while left:
                piece = reading.read(min(left, 2 * _NUMBERS_AT_ONCE))
                left -= len(piece)
                writing.write(np.frombuffer(piece, "<f2").astype("<f4").tobytes() if name in half else piece)


def stored(weights: Path) -> dict[str, Stored]:
    """Return what a file of weights tells of its tensors.

    Raises:
        ValueError: If what it tells is not what it holds.
    """
    return _header(weights)[0]


def _header(weights: Path) -> tuple[dict[str, Stored], dict[str, str], int]:
    """Return the tensors, what is told beside them, and where the first begins."""
    size = weights.stat().st_size
    with weights.open("rb") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        if length > min(_MOST_HEADER_BYTES, size - _LENGTH_BYTES):
            raise ValueError("its header is longer than it may be")
        told = json.loads(file.read(length))
    metadata = told.pop("__metadata__", {}) if isinstance(told, dict) else None
    if not isinstance(metadata, dict):
        raise ValueError("its header tells of no tensors")
    first = _LENGTH_BYTES + length
    tensors = {name: _stored(tensor) for name, tensor in told.items()}
    end = 0
    for tensor in sorted(tensors.values(), key=lambda tensor: (tensor.start, tensor.end)):
        if tensor.start != end:
            raise ValueError("its tensors do not lie end to end")
        end = tensor.end
    if first + end != size:
        raise ValueError("it is not as long as its header says")
    return tensors, metadata, first


def _stored(told: Any) -> Stored:
    if not isinstance(told, dict) or str(told.get("dtype")) not in _BYTES_A_NUMBER:
        raise ValueError("its header tells of something that is no tensor")
    shape, offsets = told.get("shape"), told.get("data_offsets")
    if not (_are_sizes(shape) and _are_sizes(offsets)):
        raise ValueError("its header tells of a tensor without a size")
    if len(offsets) != 2 or math.prod(shape) * _BYTES_A_NUMBER[told["dtype"]] != offsets[1] - offsets[0]:
        raise ValueError("its header tells of a tensor of another size")
    return Stored(told["dtype"], tuple(shape), *offsets)


def _are_sizes(numbers: Any) -> TypeGuard[list[int]]:
    return isinstance(numbers, list) and all(type(number) is int and number >= 0 for number in numbers)
