"""Bradley-Terry strengths of methods that were compared in pairs, and whether the votes give any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]
Flags = NDArray[np.bool_]

_MOST_STEPS = 200
_STILL = 1e-8


def strengths(won: Counts) -> Counts:
    """Return the strengths of methods, the strongest 1: A is preferred to B with chance a / (a + b).

    Where a method won every vote against another, the likeliest strengths are a limit, and the other's is 0.
    Where votes leave open which of several methods is the strongest, theirs is NaN.

    Args:
        won: How often the method of the row was preferred to that of the column; one such table, or many.
    """
    above = _above(won)
    strongest: Flags = np.asarray(above.all(axis=-1))
    undecided = _unbeaten(above) & ~strongest.any(axis=-1, keepdims=True)
    among = strongest[..., :, None] & strongest[..., None, :]
    # The others have a one on the diagonal, which leaves them where they are.
    logarithms = _likeliest(np.where(among, won, 0), among + _diagonal(~strongest))
    top = np.max(logarithms, axis=-1, keepdims=True, where=strongest, initial=-np.inf)
    found = np.exp(logarithms - np.where(np.isfinite(top), top, 0))
    return np.where(undecided, np.nan, np.where(strongest, found, 0))


def no_scale(won: Counts, methods: Sequence[str]) -> str:
    """Return why votes give methods no strengths, or nothing if they do.

    Finite strengths take that from each method a chain of preferences leads to each other one (Ford, 1957).

    Args:
        won: How often the method of the row was preferred to that of the column.
        methods: Their names.
    """
    met, above = _above(won + won.T), _above(won)
    if apart := _named(methods, ~met[0]):
        return f"{_named(methods, met[0])} and {apart} are never compared: no scale holds them all"
    if above.all():
        return ""
    first = _unbeaten(above).argmax()
    winners = above[first] & above[:, first]
    losers = (won[winners] > 0).any(axis=0) & ~winners
    return f"{_named(methods, winners)} won every vote against {_named(methods, losers)}: no finite strength"


def _named(methods: Sequence[str], chosen: Flags) -> str:
    return ", ".join(method for method, is_chosen in zip(methods, chosen, strict=True) if is_chosen)


def _above(won: Counts) -> Flags:
    """Return whether a chain of preferences leads from the method of the row to that of the column."""
    size = won.shape[-1]
    reached = (won > 0) | np.eye(size, dtype=np.bool_)
    for _ in range(size.bit_length()):  # chains of up to two, four, eight, … links
        reached = reached.astype(np.float64) @ reached > 0
    return np.asarray(reached)


def _unbeaten(above: Flags) -> Flags:
    """Return the methods that stand below none but those that also stand below them."""
    return np.asarray((above | ~above.swapaxes(-1, -2)).all(axis=-1))


def _likeliest(won: Counts, held: NDArray[Any]) -> Counts:
    """Return the logarithms of the likeliest strengths.

    Args:
        won: As in `strengths`.
        held: Added to the curvature, which is flat along what the likelihood leaves open.
    """
    met, wins = won + won.swapaxes(-1, -2), won.sum(axis=-1)
    found: Counts = np.zeros_like(wins)
    for _ in range(_MOST_STEPS):  # Newton's
        chance = 1 / (1 + np.exp(found[..., None, :] - found[..., :, None]))
        bend = met * chance * (1 - chance)
        slope = wins - (met * chance).sum(axis=-1)
        step = np.linalg.solve(_diagonal(bend.sum(axis=-1)) - bend + held, slope[..., None])[..., 0]
        # So damped, no step overshoots (Sun and Tran-Dinh, 2019): the likelihood is self-concordant.
        size = np.sqrt(2) * np.linalg.norm(step, axis=-1, keepdims=True) + _STILL**2
        found = found + step * np.log1p(size) / size
        if size.max(initial=0) < _STILL:
            break
    return found


def _diagonal(values: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(values[..., None] * np.eye(values.shape[-1]))
