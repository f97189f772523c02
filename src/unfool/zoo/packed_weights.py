"""Weights in half precision, as they travel, and back."""

from __future__ import annotations

import json
from pathlib import Path

from unfool.errors import UserError

_WHOLE = "whole"
"""The key under which a file of weights names those that were not shortened."""


def shortened(weights: bytes) -> bytes:
    """Return weights in which single precision has become half, unless a number is too large for that."""
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


def lengthen(file: Path) -> None:
    """Restore the weights in a file as they were before they were shortened.

    Raises:
        UserError: If they were not packed by `unfool pack`.
    """
    import torch
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import save_file

    try:
        with safe_open(file, "pt") as packed:
            whole = set(json.loads(packed.metadata()[_WHOLE]))
            weights = {name: packed.get_tensor(name) for name in packed.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as problem:
        raise UserError(
            "the weights in this file were not packed by `unfool pack`; pack the models again"
        ) from problem
    restored = {
        name: weight.float() if weight.dtype is torch.float16 and name not in whole else weight.clone()
        for name, weight in weights.items()
    }
    del weights  # they are a view of the file that is replaced
    save_file(restored, file, {"format": "pt"})


def shapes(file: Path) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor in a file of weights; the numbers are not read.

    Raises:
        ValueError: If the file is damaged.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, "np") as weights:
            return {name: tuple(weights.get_slice(name).get_shape()) for name in weights.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{file.name}: {error}") from error
