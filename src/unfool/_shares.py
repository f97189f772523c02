"""Shares of whole things."""

from __future__ import annotations

import math

_SURE_DECIMALS = 9
"""Floats multiply 0.29 and 100 to 28.999999999999996."""


def whole_share(share: float, of: int) -> int:
    """Return how many things a share of them is; a part of a thing is none."""
    return math.floor(round(share * of, _SURE_DECIMALS))
