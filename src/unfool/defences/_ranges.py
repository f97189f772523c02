"""Settings a search varies: between which numbers, or among which words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from random import Random
from typing import Any, NamedTuple

from unfool.errors import UserError

Value = int | float | str


class Range(NamedTuple):
    """A setting to vary: numbers between two, or one of some words."""

    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()

    def drawn(self, trial: Any, name: str) -> Value:
        """Let a trial choose."""
        if self.choices:
            chosen: Value = trial.suggest_categorical(name, self.choices)
        elif isinstance(self.low, int):
            chosen = trial.suggest_int(name, self.low, self.high)
        else:
            chosen = trial.suggest_float(name, self.low, self.high)
        return chosen

    def any(self, random: Random) -> Value:
        """Draw one."""
        if self.choices:
            return random.choice(self.choices)
        if isinstance(self.low, int):
            return random.randint(self.low, int(self.high))
        return random.uniform(self.low, self.high)

    @property
    def size(self) -> float:
        """How many there are."""
        if self.choices:
            return len(set(self.choices))
        if isinstance(self.low, int):
            return self.high - self.low + 1
        return 1 if self.low == self.high else math.inf


def read_range(written: str) -> tuple[str, Range]:
    """Read ``words=1..19``, ``std=0.1..10.0`` or ``vote=logits|majority``.

    Raises:
        UserError: If it is none of these.
    """
    name, equals, tail = written.partition("=")
    low, dots, high = tail.partition("..")
    if equals and dots:
        for kind in (int, float):
            try:
                ends = kind(low), kind(high)
                width = float(ends[1]) - float(ends[0])
            except (ValueError, OverflowError):
                continue
            if 0 <= width < math.inf:
                return name, Range(*ends)
    elif equals and tail:
        return name, Range(choices=tuple(tail.split("|")))
    raise UserError(f"cannot read {written!r}; write NAME=LOW..HIGH or NAME=ONE|OTHER")


def read_ranges(vary: Iterable[str]) -> dict[str, Range]:
    """Read what a search varies, by name.

    Raises:
        UserError: If one cannot be read, or two have the same name.
    """
    found: dict[str, Range] = {}
    for name, each in map(read_range, vary):
        if name in found:
            raise UserError(f"two ranges are given for {name}; give one")
        found[name] = each
    return found
