"""What one sample has asked its victim: every distinct text once, counted, its answer kept."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from unfool.engine._goal import Floats
from unfool.errors import VictimError


class OutOfQueries(Exception):
    """The sample's query budget does not cover what the attack wants to ask."""


class Placed(NamedTuple):
    """Where answers go: ``slots`` for every text asked, ``new`` the numbers of those not asked before."""

    slots: list[int]
    new: list[int]


class Ledger:
    """Counts distinct texts by their keys and answers repeated ones itself.

    Args:
        limit: The most queries; None sets no limit.
        cost: Queries a text: more than one where each answer is the mean of several.
    """

    __slots__ = ("_blocks", "_cost", "_most", "_slots", "fault", "silence", "unanswered")

    def __init__(self, limit: int | None, cost: int = 1) -> None:
        self._cost = cost
        self._most = sys.maxsize if limit is None else limit // cost
        self._slots: dict[int, int] = {}
        self._blocks: list[Floats] = []
        self.unanswered = 0
        """How many of the texts the victim gave no answer about."""
        self.fault: VictimError | None = None
        """What was amiss with one of those."""
        self.silence = False
        """Whether it gave none about any text of the latest request."""

    def __contains__(self, key: int) -> bool:
        return key in self._slots

    @property
    def texts(self) -> int:
        """Distinct texts asked so far."""
        return len(self._slots)

    @property
    def queries(self) -> int:
        """Distinct texts asked so far, each as often as it costs."""
        return self.texts * self._cost

    @property
    def left(self) -> int:
        """How many new texts may still be asked."""
        return self._most - len(self._slots)

    def unknown(self, keys: Iterable[int]) -> set[int]:
        """Return those of the keys that were not asked before."""
        return set(keys).difference(self._slots)

    def place(self, keys: Sequence[int]) -> Placed:
        """Enter texts by key, or none of them and raise `OutOfQueries` if the new ones exceed the limit."""
        known = self._slots
        if len(known) + len(keys) <= self._most:
            # Mostly all are new and different: no need to look at them one by one.
            fresh = dict(zip(keys, range(len(known), len(known) + len(keys)), strict=True))
            if len(fresh) == len(keys) and known.keys().isdisjoint(fresh):
                known.update(fresh)
                return Placed(list(fresh.values()), list(range(len(keys))))
        slots: list[int] = []
        new: list[int] = []
        for number, key in enumerate(keys):
            slot = known.get(key)
            if slot is None:
                slot = known[key] = len(known)
                new.append(number)
            slots.append(slot)
        if len(known) > self._most:
            self.forget([keys[number] for number in new])
            raise OutOfQueries
        return Placed(slots, new)

    def forget(self, keys: Sequence[int]) -> None:
        """Take back texts just entered, since no answer will come for them."""
        for key in keys:
            del self._slots[key]

    def answer(self, placed: Placed, values: Floats) -> Floats:
        """Keep the answers to the new texts and return those to all texts asked."""
        if len(placed.new) == len(placed.slots):
            self._blocks.append(values)
            return values
        if len(values):
            self._blocks.append(values)
        self._blocks = [np.concatenate(self._blocks)]
        return self._blocks[0][placed.slots]
