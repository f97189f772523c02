"""Search: Lévy flights, mostly short steps and now and then a very long one (Mantegna, 1994)."""

from __future__ import annotations

from math import gamma, pi, sin

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_STABLE = 1.5
"""The exponent of the tails; Mantegna gives the scale, the height and the width that belong to it."""
_SCALE = (
    gamma(1 + _STABLE) * sin(pi * _STABLE / 2) / (gamma((1 + _STABLE) / 2) * _STABLE * 2 ** ((_STABLE - 1) / 2))
) ** (1 / _STABLE)
_HEIGHT = (
    _STABLE
    * gamma((_STABLE + 1) / (2 * _STABLE))
    / gamma(1 / _STABLE)
    * (_STABLE * gamma((_STABLE + 1) / 2) / (gamma(_STABLE + 1) * sin(pi * _STABLE / 2))) ** (1 / _STABLE)
)
_WIDTH = 2.737


def flights(draw: np.random.Generator, count: int) -> Numbers:
    """Draw from a Lévy-stable distribution, by Mantegna's formula."""
    steps = _SCALE * draw.standard_normal(count) / np.abs(draw.standard_normal(count)) ** (1 / _STABLE)
    return np.asarray(steps * ((_HEIGHT - 1) * np.exp(-np.abs(steps) / _WIDTH) + 1))


def flights_between(draw: np.random.Generator, least: float, most: float, count: int) -> Numbers:
    """Draw flights until there are so many between two lengths."""
    found = np.empty(0)
    while len(found) < count:
        more = flights(draw, 8 * count)
        found = np.concatenate([found, more[(least <= more) & (more <= most)]])
    return found[:count]
