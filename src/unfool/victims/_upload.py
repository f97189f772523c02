"""From the host to the device without waiting for what the device is doing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch


@lru_cache(maxsize=8)
def _copy_stream(device: torch.device) -> torch.cuda.Stream:
    import torch

    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


def upload(array: NDArray[Any], device: torch.device) -> torch.Tensor:
    """Return the array on the device.

    A copy from ordinary memory waits for all work queued before it on its stream, so it gets a stream of its own;
    the work queued after it waits for the copy, the host for nothing.
    """
    import torch

    host = torch.from_numpy(array)
    if device.type != "cuda":
        return host
    copies, work = _copy_stream(device), torch.cuda.current_stream(device)
    with torch.cuda.stream(copies):
        tensor = host.to(device, non_blocking=True)
    work.wait_stream(copies)
    tensor.record_stream(work)
    return tensor
