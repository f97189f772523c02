"""The splits a model is trained, chosen and judged on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from unfool.data import GUESSED, Absent, BadRow, Reading, at_hand, has_splits, load
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
    skipped: Sequence[BadRow] = ()
    """The bad rows of all splits, left out as the reading asked."""

    @property
    def pairs(self) -> bool:
        """Whether texts are pairs."""
        return len(self.train[0].text.fields) > 1


def load_splits(name: str, reading: Reading = GUESSED) -> Splits:
    """Load a data set for training; without a validation split every tenth training sample is held out.

    Where these lack a label, as in a file whose labels alternate, samples are counted label by label.

    A file has no splits: all of it is for training. All splits are read from the same columns, and a label that
    is a name has the same id in each.
    """
    is_file = not has_splits(name)
    source = load(name, split=None if is_file else "train", **reading.given)
    train, skipped = list(source), [*source.bad_rows]
    if source.columns.names_sorted or source.labels == tuple(map(str, range(len(source.labels)))):
        reading = replace(reading, labels=source.labels)  # a split that lacks a class would number the others anew

    def samples(split: str) -> list[Sample]:
        try:
            found = load(name, split=split, **replace(reading, skip_bad=True).given)
        except Absent:
            return []
        if found.bad_rows:
            load(name, split=split, **reading.given)  # says what is bad, unless it is to be left out
        skipped.extend(found.bad_rows)
        return list(found)

    validation, test = ([] if is_file else samples(split) for split in ("validation", "test"))
    if not test and not is_file:
        test = samples("validation_matched")  # MultiNLI keeps its test labels to itself
    held_out = not validation
    if held_out:
        train, validation = _hold_out(train)
    if not train:
        raise UserError(f"{name} has {len(validation)} samples, of which none is left to train on; give more")
    return Splits(train, validation, test, source.labels, source.fingerprint, held_out, skipped)


def _hold_out(samples: Sequence[Sample]) -> tuple[list[Sample], list[Sample]]:
    """Return what is left to train on, and what is held out."""
    held: Sequence[int] = range(0, len(samples), _HELD_OUT_EVERY)
    if {samples[place].label for place in held} != {sample.label for sample in samples}:
        held = sorted(range(len(samples)), key=lambda place: samples[place].label)[::_HELD_OUT_EVERY]
    chosen = {*held}
    return (
        [sample for place, sample in enumerate(samples) if place not in chosen],
        [samples[place] for place in sorted(chosen)],
    )


def have_changed(name: str, fingerprint: str) -> bool:
    """Say whether data with this fingerprint have become others; never of those that would have to be fetched."""
    if at_hand(name) is None:
        return False
    try:
        return load(name, split="train" if has_splits(name) else None).fingerprint != fingerprint
    except Absent:
        return False
