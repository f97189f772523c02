"""Which differences between models hinder transfer (tables 2, 3 and 4 of Yuan et al., 2021)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from unfool.transfer._matrix import Floats, Matrix, mean
from unfool.transfer._traits import ARCHITECTURES, INPUTS, Traits, traits

_SIGNIFICANT = 1.959963984540054  # the normal quantile that leaves 2.5 % on either side
FACTORS = ("input form", "architecture", "embedding", "capacity")
"""In the order of `Traits`, which is that of their impact in the paper."""


class Impact(NamedTuple):
    """How far rates are from the targets' base rates where source and target differ in one factor alone."""

    mean: float
    pairs: int


class ClassTable(NamedTuple):
    """Mean rates from models of a class (row) to models of a class (column), a model and its twin included."""

    classes: tuple[str, ...]
    rates: Floats

    @property
    def sends(self) -> dict[str, float]:
        """The mean of each row."""
        return {name: mean(row) for name, row in zip(self.classes, self.rates, strict=True)}

    @property
    def receives(self) -> dict[str, float]:
        """The mean of each column."""
        return {name: mean(column) for name, column in zip(self.classes, self.rates.T, strict=True)}


class Asymmetry(NamedTuple):
    """How much the rates of pairs of models differ by direction."""

    models: int
    """Models that are in a pair."""
    pairs: int
    mean: float
    """The mean difference, without its sign."""
    significant: float
    """The share of pairs whose difference chance alone would exceed in 5 % of cases."""


class Analysis(NamedTuple):
    """All that is taken from a matrix."""

    impacts: dict[str, Impact]
    by_architecture: ClassTable
    by_input: ClassTable
    asymmetry: Asymmetry


def analyse(matrix: Matrix) -> Analysis:
    """Take the tables and statistics from a matrix; victims that are no models of the 63 do not enter."""
    return Analysis(
        factor_impacts(matrix),
        class_table(matrix, ARCHITECTURES, lambda found: found.architecture),
        class_table(matrix, INPUTS, lambda found: found.reads),
        asymmetry(matrix),
    )


def factor_impacts(matrix: Matrix) -> dict[str, Impact]:
    """Return the mean of |r(s, t) - base(t)| over all pairs that differ in one factor only, for each factor."""
    distances = np.abs(matrix.rates - matrix.base)
    differing = [
        [_only_difference(traits(source), traits(target)) for target in matrix.targets] for source in matrix.sources
    ]
    names = np.array(differing, dtype=object).reshape(distances.shape)
    found = {}
    for factor in FACTORS:
        chosen = distances[names == factor]
        found[factor] = Impact(mean(chosen), int((~np.isnan(chosen)).sum()))
    return found


def class_table(matrix: Matrix, classes: Sequence[str], class_of: Callable[[Traits], str]) -> ClassTable:
    """Return the mean rates between classes of models.

    Args:
        matrix: The rates.
        classes: The classes in order; those without a model have NaN.
        class_of: From the traits of a model to its class.
    """

    def members(names: Sequence[str], kind: str) -> list[int]:
        known = [(number, found) for number, name in enumerate(names) if (found := traits(name))]
        return [number for number, found in known if class_of(found) == kind]

    rows, columns = ([members(names, kind) for kind in classes] for names in (matrix.sources, matrix.targets))
    rates = [[mean(matrix.rates[np.ix_(row, column)]) for column in columns] for row in rows]
    return ClassTable(tuple(classes), np.array(rates))


def asymmetry(matrix: Matrix) -> Asymmetry:
    """Compare r(s, t) with r(t, s) for every pair of models that are both source and target.

    The rates are compared as two independent shares are. They are taken over different texts, but many of these
    were made from the same originals: measured on four nets, that the one fools tells next to nothing about whether
    the other does (docs/transfer.md).
    """
    both = [name for name in matrix.sources if name in matrix.targets]
    grid = np.ix_([matrix.sources.index(name) for name in both], [matrix.targets.index(name) for name in both])
    rates, texts = matrix.rates[grid], np.maximum(matrix.texts[grid], 1)
    upper = np.triu(~np.isnan(rates) & ~np.isnan(rates.T), k=1)
    difference = np.abs(rates - rates.T)
    pooled = (rates * texts + (rates * texts).T) / (texts + texts.T)
    error = np.sqrt(pooled * (1 - pooled) * (1 / texts + 1 / texts.T))
    pairs = int(upper.sum())
    clear = (difference > _SIGNIFICANT * error) & upper
    models = int((upper | upper.T).any(axis=0).sum())
    share = float(clear.sum() / pairs) if pairs else float("nan")
    return Asymmetry(models, pairs, mean(difference, upper), share)


def _only_difference(source: Traits | None, target: Traits | None) -> str | None:
    if not source or not target:
        return None
    differing = [factor for factor, own, other in zip(FACTORS, source, target, strict=True) if own != other]
    return differing[0] if len(differing) == 1 else None
