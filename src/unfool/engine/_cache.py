"""A bounded cache of answers shared by all samples: one place a key, the newer answer stays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unfool.engine._goal import Floats

Keys = NDArray[np.uint64]


class RowCache:
    """Keeps at most ``places`` answers, a power of two; a key's place is its low bits."""

    def __init__(self, places: int, width: int) -> None:
        self._low_bits = np.uint64(places - 1)
        self._rows: Floats = np.zeros((places, width), dtype=np.float32)
        self._keys: Keys = np.zeros(places, dtype=np.uint64)
        self._taken = np.zeros(places, dtype=bool)

    def __len__(self) -> int:
        return int(self._taken.sum())

    def find(self, keys: Keys) -> tuple[NDArray[np.bool_], Floats]:
        """Return which keys are known, and the rows of those that are."""
        places = keys & self._low_bits
        known = self._taken[places] & (self._keys[places] == keys)
        return known, self._rows[places[known]]

    def keep(self, keys: Keys, rows: Floats) -> None:
        """Keep answers; of two that want the same place, the last."""
        places = keys & self._low_bits
        self._keys[places], self._rows[places], self._taken[places] = keys, rows, True
