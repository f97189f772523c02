"""Where nets live."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from unfool.errors import UserError

if TYPE_CHECKING:
    import torch


_DEVICES = ("auto", "cpu", "cuda")


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
