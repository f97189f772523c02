"""A way to harden a net by name: a function with its settings, as text and back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from unfool.attacks._discovery import defined_in
from unfool.defences.harden._student import Student
from unfool.engine import Predictor
from unfool.errors import UserError, did_you_mean
from unfool.settings import defaults, read_settings, split_spec, written
from unfool.text import Sample
from unfool.training import Losses, Place
from unfool.victims import Options, open_victim

_METHODS = "unfool.defences.harden.recipes"


@dataclass(frozen=True)
class Course:
    """What a method has to work with."""

    student: Student
    samples: Sequence[Sample]
    """The training samples; a batch's ``numbers`` are their places here."""
    victim_name: str
    options: Options
    seed: int
    folder: Path
    """Where it may keep what takes long to make, for a training that is killed and goes on."""
    progress: bool

    @cached_property
    def victim(self) -> Predictor:
        """The victim as it was before training, a copy of its own."""
        return open_victim(self.victim_name, self.options)

    def seed_at(self, place: Place) -> int:
        """Return a seed for a place in the training: the same however often it was killed."""
        return int(np.random.SeedSequence([self.seed, *place]).generate_state(1)[0])


class Plan(NamedTuple):
    """What a method trains by."""

    losses: Losses | None = None
    """What is brought down on a batch, as `zoo._fit.fit` takes it; cross-entropy if None."""
    more: Callable[[int], Sequence[Sample]] | None = None
    """Samples added to the training samples for an epoch, counted from 1."""
    figures: Callable[[], Mapping[str, float]] | None = None
    """What there is to tell of the training once it is over, of its last session where it was killed."""


@dataclass(frozen=True)
class Method:
    """A way to harden, with all its settings; called with a `Course` it gives a `Plan`. Its repr rebuilds it."""

    name: str
    function: Callable[..., Plan]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, course: Course) -> Plan:
        """Prepare for a training."""
        return self.function(course, **self.settings)

    def __repr__(self) -> str:
        return written(self.name, {**defaults(self.function), **self.settings})

    @property
    def summary(self) -> str:
        """The first line of the method's documentation."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]


def method(function: Callable[..., Plan]) -> Method:
    """Make a method of a function of a `Course`; its keyword-only arguments are the settings."""
    return Method(function.__name__.replace("_", "-"), function)


@lru_cache(maxsize=1)
def methods() -> dict[str, Method]:
    """Return every method by name: whatever the files of `unfool.defences.harden.recipes` define."""
    return {found.name: found for found in sorted(defined_in(_METHODS, Method), key=lambda found: found.name)}


def find_method(spec: str) -> Method:
    """Return the method written as ``name`` or ``name:key=value,key=value``.

    Raises:
        UserError: An unknown name, setting or value, with a suggestion.
    """
    name, given = split_spec(spec)
    known = methods()
    if name not in known:
        raise UserError(f"unknown way to harden {name!r}{did_you_mean(name, known)}")
    function = known[name].function
    return Method(name, function, read_settings(f"the method {name!r}", function, given))
