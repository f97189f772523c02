"""What a training writes: a report of its result, and checkpoints from which it goes on after a kill."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from unfool.errors import UserError, first_line
from unfool.storage import replacing

if TYPE_CHECKING:
    import torch
    from torch import Tensor

TRAINING_FILE = "training.json"
"""Beside a Hugging Face model, whose ``config.json`` is not ours; other models tell it there."""
_SPLITS = ("validation", "test", "train")
_MODULE, _KEPT, _OPTIMIZER, _RANDOM = "module.", "kept.", "optimizer.", "random."
_SECONDS_BETWEEN = 600.0


class Accuracy(NamedTuple):
    """The share of texts classified correctly, and the number of texts."""

    share: float
    n: int


@dataclass(frozen=True)
class TrainingReport:
    """The data a model was trained on, its accuracy and the time it took."""

    data: str
    fingerprint: str
    """Of the training split, by which changed data are noticed."""
    seed: int
    seconds: float
    validation: Accuracy
    test: Accuracy | None = None
    """None if the data have no test split."""
    train: Accuracy | None = None
    """None if the model was not judged by its training texts."""
    epoch: int | None = None
    """The epoch whose weights were kept, from 1; None for a model that is not trained in epochs."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What else its kind of training tells: learning rate, method, stand-ins."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as they are written into the folder of the model."""
        judged = {split: getattr(self, split) for split in _SPLITS}
        return {
            **self.settings,
            "data": self.data,
            "fingerprint": self.fingerprint,
            "seed": self.seed,
            **({} if self.epoch is None else {"epoch": self.epoch}),
            "seconds": round(self.seconds, 1),
            **{split: accuracy._asdict() for split, accuracy in judged.items() if accuracy},
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> TrainingReport:
        """Return the report that `to_json` wrote.

        Raises:
            ValueError: If it is none; or KeyError or TypeError, as a file may hold anything.
        """
        if not isinstance(plain["data"], str):
            raise ValueError("the name of its data is no text")
        judged = {split: _accuracy(plain[split]) if split in plain else None for split in _SPLITS}
        if judged["validation"] is None:
            raise ValueError("its accuracy on validation texts is missing")
        known = {name: plain.get(name) for name in ("data", "fingerprint", "seed", "seconds", "epoch")}
        rest = {name: value for name, value in plain.items() if name not in known.keys() | judged.keys()}
        return cls(**known, **judged, settings=rest)  # type: ignore[arg-type]

    @classmethod
    def read(cls, folder: Path) -> TrainingReport | None:
        """Return the report in the folder of a model; None if there is none yet.

        Raises:
            ValueError: If the file holds no report; or another error, as it may hold anything.
        """
        own, config = folder / TRAINING_FILE, folder / "config.json"
        if own.is_file():
            return cls.from_json(json.loads(own.read_text(encoding="utf-8")))
        if config.is_file():
            return cls.from_json(json.loads(config.read_text(encoding="utf-8"))["training"])
        return None


def _accuracy(plain: Mapping[str, Any]) -> Accuracy:
    found = Accuracy(**plain)
    if not all(isinstance(number, int | float) for number in found):
        raise ValueError(f"the accuracy {found!r} is no number")
    return found


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
            raise UserError(
                f"{self._path} cannot be used ({first_line(error)}); remove it and start the training anew"
            ) from error
        torch.set_rng_state(tensors[f"{_RANDOM}cpu"])
        if torch.cuda.is_available() and f"{_RANDOM}cuda" in tensors:
            torch.cuda.set_rng_state(tensors[f"{_RANDOM}cuda"])
        return state, _below(_KEPT, tensors)


def _below(lead: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(lead): tensor for name, tensor in tensors.items() if name.startswith(lead)}
