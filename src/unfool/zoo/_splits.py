"""The splits a model is trained, chosen and judged on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from unfool import data
from unfool.data import drawn
from unfool.errors import UserError
from unfool.text import Sample

_HELD_OUT_EVERY = 10


class Splits(NamedTuple):
    """Samples to train on, to choose the best epoch by, and to judge by; the last may be missing."""

    train: Sequence[Sample]
    validation: Sequence[Sample]
    test: Sequence[Sample]
    labels: tuple[str, ...]
    fingerprint: str
    """Of the split ``train`` as it was loaded."""
    held_out: bool = False
    """Whether the validation samples were taken out of the split ``train``."""

    @property
    def pairs(self) -> bool:
        """Whether texts are pairs."""
        return len(self.train[0].text.fields) > 1


def load_splits(name: str, editable: str | None = None) -> Splits:
    """Load a data set for training; without a validation split every tenth training sample is held out.

    A file has no splits: all of it is for training. Of a pair, ``editable`` names the text that may be changed.
    """
    is_file = Path(drawn(name).name).expanduser().is_file()
    source = data.load(name, split=None if is_file else "train", editable=editable)
    train = list(source)
    validation, test = ([] if is_file else _samples(name, split) for split in ("validation", "test"))
    if not test and not is_file:
        test = _samples(name, "validation_matched")  # MultiNLI keeps its test labels to itself
    held_out = not validation
    if held_out:
        validation = train[::_HELD_OUT_EVERY]
        del train[::_HELD_OUT_EVERY]
    if not train:
        raise UserError(f"{name} has {len(validation)} samples, of which none is left to train on; give more")
    return Splits(train, validation, test, source.labels, source.fingerprint, held_out)


def _samples(name: str, split: str) -> list[Sample]:
    try:
        return list(data.load(name, split=split))
    except UserError:  # `load` has read this data set's training split, so this one is not there
        return []
