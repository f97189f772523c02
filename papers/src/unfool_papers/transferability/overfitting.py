"""How much more a factor hinders texts of PWWS than those of the genetic attack (Yuan et al., 2021, finding 4).

Both attacks were tried on the same pairs of models, so the two are compared pair by pair. What varies is the choice
of the models, and the texts that each of them happens to give: leaving out one model at a time, with its texts and
with what it says of others', tells how far a mean over pairs can be trusted (the delete-one jackknife). That the
pairs share models, and the attacks the originals, is thereby in the interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.stats import Z95
from unfool.transfer import FACTORS, Impact, Matrix, pairs_by_factor

_ENOUGH_MODELS = 10
"""Leaving out one of fewer tells too little about how the others would vary."""


class Gap(NamedTuple):
    """A factor's impact on texts of each attack, and the interval of the difference."""

    pwws: float
    ga: float
    low: float
    high: float


def gaps(pwws: Matrix, ga: Matrix) -> dict[str, Gap]:
    """Compare the impacts of each factor under two attacks on the same models.

    An impact is a mean of differences without their sign, which sampling noise makes larger: where fewer texts were
    tried of one attack, the interval leans towards it.
    """
    distances = [np.abs(matrix.rates - matrix.base) for matrix in (pwws, ga)]
    known = ~np.isnan(distances[0] - distances[1])
    found = {}
    for factor, chosen in pairs_by_factor(pwws).items():
        pairs = chosen & known
        ours, theirs = (float(each[pairs].mean()) if pairs.any() else float("nan") for each in distances)
        error = _jackknife(np.where(pairs, distances[0] - distances[1], 0.0), pairs)
        found[factor] = Gap(ours, theirs, ours - theirs - Z95 * error, ours - theirs + Z95 * error)
    return found


def without_intervals(pwws: Mapping[str, Impact], ga: Mapping[str, Impact]) -> dict[str, Gap]:
    """Set impacts beside each other whose matrices are not known, as a paper's, which count as exact."""
    found = {}
    for factor in FACTORS:
        ours, theirs = pwws[factor].mean, ga[factor].mean
        found[factor] = Gap(ours, theirs, ours - theirs, ours - theirs)
    return found


def _jackknife(differences: NDArray[np.float64], pairs: NDArray[np.bool_]) -> float:
    """Return the standard error of the mean over pairs, from leaving out each model that is in one; NaN for few."""
    sums, counts = (each.sum(axis=0) + each.sum(axis=1) for each in (differences, pairs))
    there = counts > 0
    left = pairs.sum() - counts[there]
    if len(left) < _ENOUGH_MODELS or not left.all():
        return float("nan")
    means = (differences.sum() - sums[there]) / left
    return float(np.sqrt((len(means) - 1) / len(means) * ((means - means.mean()) ** 2).sum()))
