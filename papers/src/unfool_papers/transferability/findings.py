"""The six main findings of Yuan et al. (2021), section 3.4, each judged from the figures of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.stats import Z95, wilson
from unfool.transfer import FACTORS, Analysis, ClassTable, Impact, Matrix
from unfool_papers.study.claim import CANNOT_BE_TOLD, DOES_NOT_HOLD, HOLDS, Verdict, verdict

_BY_CHANCE = 0.05
_IN_FILES = {HOLDS: True, DOES_NOT_HOLD: False, CANNOT_BE_TOLD: None}
_ENOUGH_MODELS = 20
"""Below so many, classes of models have a member or two, and a finding about classes is about those."""
_WORDS = ("Random", "GloVe", "word2vec", "fastText")
_PRETRAINED = ("GloVe", "word2vec", "fastText", "ELMo", "BERT")


class Finding(NamedTuple):
    """A claim, and whether the figures bear it out."""

    claim: str
    parts: dict[str, Verdict]
    """What the claim says, piece by piece."""
    figures: dict[str, float]

    @property
    def verdict(self) -> Verdict:
        """Whether all parts hold."""
        return verdict(list(self.parts.values()))

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the file of results."""
        return {
            "claim": self.claim,
            "holds": _IN_FILES[self.verdict],
            "parts": {part: _IN_FILES[each] for part, each in self.parts.items()},
            "figures": {name: _rounded(value) for name, value in self.figures.items()},
        }


class Asymmetry(NamedTuple):
    """How much the rates of pairs of models differ by direction."""

    models: int
    """Models that are in a pair."""
    pairs: int
    mean: float
    """The mean difference, without its sign."""
    significant: float
    """The share of pairs whose difference chance alone would exceed in 5 % of cases."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values for the file of results."""
        return {"pairs": self.pairs, "mean": _rounded(self.mean), "significant": _rounded(self.significant)}


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
    clear = (difference > Z95 * error) & upper
    models = int((upper | upper.T).any(axis=0).sum())
    return Asymmetry(models, pairs, _mean(difference[upper]), float(clear.sum() / pairs) if pairs else float("nan"))


def findings(
    analysis: Analysis, asymmetry: Asymmetry, against: Mapping[str, Impact] | None = None
) -> list[Finding]:
    """Test the six findings; with few models their figures are told, and no verdict.

    Args:
        analysis: What was taken from a matrix.
        asymmetry: How far the matrix is from a symmetric one.
        against: The impacts of the factors under the genetic attack, where the matrix is PWWS's.
    """
    found = [
        _order(analysis.impacts),
        _berts(analysis.by_architecture),
        _direction(analysis, asymmetry),
        _overfitting(analysis.impacts, against),
        _characters(analysis.by_input),
        _pretrained(analysis.by_input),
    ]
    if asymmetry.models >= _ENOUGH_MODELS:
        return found
    return [finding._replace(parts=dict.fromkeys(finding.parts, CANNOT_BE_TOLD)) for finding in found]


def _order(impacts: Mapping[str, Impact]) -> Finding:
    figures = {factor: impacts[factor].mean for factor in FACTORS}
    return Finding(
        "the input form matters most, then architecture, embedding, capacity",
        {f"{one} > {next_}": _more(figures[one], figures[next_]) for one, next_ in pairwise(FACTORS)},
        figures,
    )


def _berts(table: ClassTable) -> Finding:
    """Texts between classes: from BERTs against from others, to BERTs against to others."""
    sent, received, others = (
        _between(table, rule)
        for rule in (
            lambda row, column: row == "BERT" != column,
            lambda row, column: row != "BERT" == column,
            lambda row, column: "BERT" not in (row, column),
        )
    )
    return Finding(
        "texts made on BERTs transfer a little worse, and BERTs are much harder to fool with others' texts",
        {"made on BERTs transfer worse": _more(others, sent), "BERTs receive less": _more(others, received)},
        {"from BERTs": sent, "to BERTs": received, "between the others": others},
    )


def _direction(analysis: Analysis, asymmetry: Asymmetry) -> Finding:
    """The paper's rates inside classes are *consistently* higher: every class must stand out, not their mean."""
    rates = analysis.by_architecture.rates
    same, others = np.diag(rates), np.where(np.eye(len(rates), dtype=np.bool_), np.nan, rates)
    lead = [
        own - np.nanmax([*others[number], *others[:, number]])
        for number, own in enumerate(same)
        if not (np.isnan(own) or np.isnan([*others[number], *others[:, number]]).all())
    ]
    least, inside = min(lead, default=float("nan")), _mean(same)
    between = _between(analysis.by_architecture, lambda row, column: row != column)
    return Finding(
        "transfer is not symmetric, and higher inside a class of models than between classes",
        {
            "not symmetric": _more(_at_least(asymmetry), _BY_CHANCE),
            "higher inside a class on average": _more(inside, between),
            "higher inside every class": _more(least, 0),
        },
        {
            "mean difference by direction": asymmetry.mean,
            "pairs that differ beyond chance": asymmetry.significant,
            "inside a class": inside,
            "between classes": between,
            "inside above all others of a class, at least": least,
        },
    )


def _overfitting(impacts: Mapping[str, Impact], against: Mapping[str, Impact] | None) -> Finding:
    claim = "PWWS fits its texts to their source more than the genetic attack"
    if against is None:  # one matrix alone does not say which of the two attacks it is of
        return Finding(claim, dict.fromkeys(FACTORS, CANNOT_BE_TOLD), {})
    figures = {
        f"{attack}, {factor}": found[factor].mean
        for attack, found in (("PWWS", impacts), ("GA", against))
        for factor in FACTORS
    }
    return Finding(
        claim, {factor: _more(impacts[factor].mean, against[factor].mean) for factor in FACTORS}, figures
    )


def _characters(table: ClassTable) -> Finding:
    received, sent = table.receives, table.sends
    rest = [name for name in table.classes if name != "Character"]
    return Finding(
        "models of characters are harder to fool with others' texts than those of words or sub-words, and theirs "
        "transfer worst",
        {
            "receive less than words": _more(_least(received, _WORDS), received["Character"]),
            "receive less than sub-words": _more(received["BERT"], received["Character"]),
            "send least": _more(_least(sent, rest), sent["Character"]),
        },
        {
            "to characters": received["Character"],
            "to words, at least": _least(received, _WORDS),
            "to sub-words": received["BERT"],
            "from characters": sent["Character"],
            "from others, at least": _least(sent, rest),
        },
    )


def _pretrained(table: ClassTable) -> Finding:
    received = table.receives
    return Finding(
        "pretrained models are harder to fool with others' texts",
        {f"{name} receives less than Random": _more(received["Random"], received[name]) for name in _PRETRAINED},
        {name: received[name] for name in ("Random", *_PRETRAINED)},
    )


def _between(table: ClassTable, rule: Callable[[str, str], bool]) -> float:
    """Return the mean of the entries between different classes that a rule chooses."""
    mask = np.array(
        [[row != column and rule(row, column) for column in table.classes] for row in table.classes], dtype=np.bool_
    )
    return _mean(table.rates[mask])


def _mean(values: NDArray[np.float64]) -> float:
    """Return the mean without NaN; NaN of nothing."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def _at_least(asymmetry: Asymmetry) -> float:
    """Return the lower end of the share's interval: chance alone lifts the share above 5 % as often as not.

    Pairs with a model in common share its texts, and differ together. A mean over all pairs is at least as sure as
    one over pairs that have no model in common (Hoeffding, 1948), so the interval is that of so many.
    """
    if np.isnan(asymmetry.significant):
        return float("nan")
    apart = asymmetry.models // 2
    return wilson(asymmetry.significant * apart, apart)[0]


def _least(figures: Mapping[str, float], names: tuple[str, ...] | list[str]) -> float:
    known = [figures[name] for name in names if not np.isnan(figures[name])]
    return min(known, default=float("nan"))


def _more(one: float, other: float) -> Verdict:
    if np.isnan(one) or np.isnan(other):
        return CANNOT_BE_TOLD
    return HOLDS if one > other else DOES_NOT_HOLD


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
