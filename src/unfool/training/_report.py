"""What a training came to, as the folder of the trained model tells it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple


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


TRAINING_FILE = "training.json"
"""Beside a Hugging Face model, whose ``config.json`` is not ours; other models tell it there."""
_SPLITS = ("validation", "test", "train")


def _accuracy(plain: Mapping[str, Any]) -> Accuracy:
    found = Accuracy(**plain)
    if not all(isinstance(number, int | float) for number in found):
        raise ValueError(f"the accuracy {found!r} is no number")
    return found
