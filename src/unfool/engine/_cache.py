"""A bounded cache of answers shared by all samples: a ring of rows found by key."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unfool.engine._goal import Floats

Keys = NDArray[np.uint64]


class RowCache:
    """Keeps the last ``capacity`` answers; the oldest make room."""

    def __init__(self, capacity: int, width: int) -> None:
        self._rows: Floats = np.zeros((capacity, width), dtype=np.float32)
        self._keys: list[int | None] = [None] * capacity
        self._slots: dict[int, int] = {}
        self._next = 0

    def __len__(self) -> int:
        return len(self._slots)

    def find(self, keys: Keys) -> tuple[NDArray[np.bool_], Floats]:
        """Return which keys are known, and the rows of those that are."""
        slots = np.array([self._slots.get(key, -1) for key in keys.tolist()], dtype=np.int64)
        known = slots >= 0
        return known, self._rows[slots[known]]

    def keep(self, keys: Keys, rows: Floats) -> None:
        """Keep answers; of more than fit, the last."""
        capacity = len(self._keys)
        if len(keys) > capacity:
            keys, rows = keys[-capacity:], rows[-capacity:]
        fresh = [number for number, key in enumerate(keys.tolist()) if key not in self._slots]
        slots = (self._next + np.arange(len(fresh))) % capacity
        self._rows[slots] = rows[fresh]
        for slot, key in zip(slots.tolist(), keys[fresh].tolist(), strict=True):
            old = self._keys[slot]
            if old is not None:
                del self._slots[old]
            self._keys[slot] = key
            self._slots[key] = slot
        self._next = (self._next + len(fresh)) % capacity
