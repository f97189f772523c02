"""Where nets live, and in which precision they are fast there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from unfool.errors import UserError

if TYPE_CHECKING:
    import torch


_DEVICES = ("auto", "cpu", "cuda")

LOADING = RLock()
"""Held while transformers makes a net.

Meanwhile it replaces methods of its own classes, and then puts back what it found: of two threads that load at
once, one may put back a replacement, and later nets get weights that nobody trained.
"""


def check_device(name: str) -> str:
    """Return a device's name, or raise if none is called so; whether it is there, PyTorch alone can tell."""
    if name not in _DEVICES:
        raise UserError(f"unknown device {name!r}; there is {', '.join(_DEVICES)}")
    return name


def torch_device(name: str) -> torch.device:
    """Return the device for ``cpu``, ``cuda`` or ``auto`` (the GPU where there is one)."""
    import torch

    check_device(name)
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError("device 'cuda' was asked for, but PyTorch sees no GPU here; use --device cpu")
    chosen = torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")
    if chosen.type == "cuda":
        # cuDNN's attention plans anew for every shape, which costs more than the attention itself.
        torch.backends.cuda.enable_cudnn_sdp(False)
    return chosen


class Half(NamedTuple):
    """What a device makes of a matrix product in bfloat16."""

    times: float
    """How many times as fast as in float32 it is."""
    error: float
    """How far off it is, as a share of the product."""


_TIMES_AT_LEAST, _ERROR_AT_MOST = 1.5, 0.01
_LONG_ENOUGH, _LARGEST, _TRIES = 2e-4, 8192, 7


@cache
def measured_half(device: torch.device) -> Half:
    """Multiply two matrices in both precisions, large enough to keep the device busy for a moment."""
    import torch

    def product(size: int, dtype: torch.dtype) -> tuple[torch.Tensor, float]:
        numbers = torch.Generator().manual_seed(0)
        left, right = (torch.randn(size, size, generator=numbers).to(device, dtype) for _ in range(2))
        made, fastest = left @ right, float("inf")
        for _ in range(_TRIES):
            began = perf_counter()
            made = left @ right
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            fastest = min(fastest, perf_counter() - began)
        return made.float(), fastest

    size = 256
    exact, seconds = product(size, torch.float32)
    while seconds < _LONG_ENOUGH and size < _LARGEST:
        size *= 2
        exact, seconds = product(size, torch.float32)
    half, half_seconds = product(size, torch.bfloat16)
    return Half(seconds / half_seconds, float((half - exact).norm() / exact.norm()))


def runs_in_half(dtype: str, device: torch.device) -> bool:
    """Whether a net searches in bfloat16: where that is named, or for ``auto`` where the device is good at it."""
    if dtype != "auto":
        return dtype == "bf16"
    half = measured_half(device)
    return half.times >= _TIMES_AT_LEAST and half.error <= _ERROR_AT_MOST


def gpu_is_full(error: BaseException) -> bool:
    """Say whether something failed for want of a GPU's memory; not all of CUDA's libraries have a class for it."""
    told = str(error)
    return type(error).__name__ == "OutOfMemoryError" or any(
        sign in told for sign in ("CUDA error: out of memory", "_ALLOC_FAILED")
    )


def gpu_is_lost() -> bool:
    """Say whether a fault, such as an illegal memory access, has ended CUDA in this process: all its calls fail."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return False
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


@contextmanager
def flushed() -> Iterator[None]:
    """Take denormal numbers for zero in this thread.

    Slopes that fade over the many steps of a recurrent net end as such numbers; with them a CPU is far slower.
    """
    import torch

    before = not (torch.full((1,), 1e-40) * 1).item()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)
