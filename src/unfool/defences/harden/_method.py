"""Ways to harden a net, by name: functions with settings, registered, and what they are given and return."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from unfool.defences.harden._trainable import TrainableNet
from unfool.engine import Predictor
from unfool.registry import Named, Registry
from unfool.text import Sample
from unfool.training import Losses, Place
from unfool.victims import Options, open_victim


@dataclass(frozen=True)
class Training:
    """What a method has to work with."""

    net: TrainableNet
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


@dataclass(frozen=True, kw_only=True, repr=False)
class Method(Named):
    """A way to harden, with all its settings; called with a `Training` it gives a `Plan`. Its repr rebuilds it."""

    KIND: ClassVar[str] = "method"

    def __call__(self, training: Training) -> Plan:
        """Prepare for a training."""
        plan: Plan = self.function(training, **self.settings)
        return plan


def method(function: Callable[..., Plan]) -> Method:
    """Make a method of a function of a `Training`; its keyword-only arguments are the settings."""
    return Method(name=function.__name__.replace("_", "-"), function=function)


METHODS = Registry("unfool.methods", Method, method)
"""Every method by name; the built-in ones are what the files of `unfool.defences.harden.recipes` define."""


def find_method(spec: str) -> Method:
    """Return the method written as ``name`` or ``name:key=value,key=value``.

    Raises:
        UserError: An unknown name, setting or value, with a suggestion.
    """
    return METHODS.find_spec(spec)
