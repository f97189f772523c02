"""The state of a training in one file: weights, optimizer, random numbers, and the place in the data."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unfool.errors import UserError
from unfool.storage import replacing

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_MODULE, _KEPT, _OPTIMIZER, _RANDOM = "module.", "kept.", "optimizer.", "random."
_SECONDS_BETWEEN = 600.0


class TrainingState(NamedTuple):
    """How far a training has come."""

    epoch: int = 1
    """The epoch under way, from 1."""
    step: int = 0
    """How many batches of it are done."""
    order: Mapping[str, Any] | None = None
    """The generator of the batches' order as it stood before this epoch; None for a new one."""
    share: float = -1.0
    """The best validation accuracy so far, on ``n`` texts, and its epoch."""
    n: int = 0
    best_epoch: int = 0
    seen: int = 0
    """How many epochs are done."""
    seconds: float = 0.0


class Checkpoint:
    """One file, replaced whole or not at all; a training that was killed goes on from it to the same weights.

    Args:
        path: The file.
        seconds: How often to write within a long epoch; the file is also written at the end of each.
    """

    def __init__(self, path: Path, seconds: float = _SECONDS_BETWEEN) -> None:
        self._path, self._between, self._last = path, seconds, time.monotonic()

    @property
    def due(self) -> bool:
        """Whether the last one was written long ago."""
        return time.monotonic() - self._last >= self._between

    def save(
        self,
        module: torch.nn.Module,
        optimizer: torch.optim.Optimizer,
        state: TrainingState,
        kept: dict[str, Tensor],
    ) -> None:
        """Write the state; ``kept`` are the weights of the best epoch, if any."""
        import torch
        from safetensors.torch import save as to_bytes

        described = optimizer.state_dict()
        tensors = {_MODULE + name: weight for name, weight in module.state_dict().items()}
        tensors |= {_KEPT + name: weight for name, weight in kept.items()}
        for number, moments in described["state"].items():
            tensors |= {f"{_OPTIMIZER}{number}.{name}": value for name, value in moments.items()}
        tensors[f"{_RANDOM}cpu"] = torch.get_rng_state()
        if torch.cuda.is_available():
            tensors[f"{_RANDOM}cuda"] = torch.cuda.get_rng_state()
        # Copies, since tied weights share their memory, which the file format refuses.
        apart = {name: tensor.detach().cpu().clone() for name, tensor in tensors.items()}
        told = {"state": json.dumps(state._asdict()), "groups": json.dumps(described["param_groups"])}
        with replacing(self._path) as file:
            file.write(to_bytes(apart, told))
        self._last = time.monotonic()

    def load(
        self, module: torch.nn.Module, optimizer: torch.optim.Optimizer
    ) -> tuple[TrainingState, dict[str, Tensor]] | None:
        """Restore everything and return the state and the kept weights; None if nothing was written yet.

        Raises:
            UserError: If the file is damaged or belongs to another net.
        """
        import torch
        from safetensors import SafetensorError, safe_open

        if not self._path.is_file():
            return None
        try:
            with safe_open(self._path, "pt") as file:
                told = file.metadata()
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            module.load_state_dict(_below(_MODULE, tensors))
            moments: dict[int, dict[str, Tensor]] = {}
            for name, value in _below(_OPTIMIZER, tensors).items():
                number, _, key = name.partition(".")
                moments.setdefault(int(number), {})[key] = value
            optimizer.load_state_dict({"state": moments, "param_groups": json.loads(told["groups"])})
            state = TrainingState(**json.loads(told["state"]))
        except (SafetensorError, RuntimeError, ValueError, KeyError, TypeError) as error:
            first = str(error).splitlines()[0]
            raise UserError(
                f"{self._path} cannot be used ({first}); remove it and start the training anew"
            ) from error
        torch.set_rng_state(tensors[f"{_RANDOM}cpu"])
        if torch.cuda.is_available() and f"{_RANDOM}cuda" in tensors:
            torch.cuda.set_rng_state(tensors[f"{_RANDOM}cuda"])
        return state, _below(_KEPT, tensors)


def _below(lead: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(lead): tensor for name, tensor in tensors.items() if name.startswith(lead)}
