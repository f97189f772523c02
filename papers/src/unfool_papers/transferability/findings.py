"""The six main findings of Yuan et al. (2021), section 3.4, each judged from the figures of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.stats import Z95, wilson
from unfool.transfer import FACTORS, Analysis, ClassTable, Impact, Matrix
from unfool_papers.study.claim import CANNOT_BE_TOLD, DOES_NOT_HOLD, HOLDS, Term, Verdict, difference, verdict
from unfool_papers.transferability.overfitting import Gap

_BY_CHANCE = 0.05
_IN_FILES = {HOLDS: True, DOES_NOT_HOLD: False, CANNOT_BE_TOLD: None}
_ENOUGH_MODELS = 20
"""Below so many, classes of models have a member or two, and a finding about classes is about those."""
_WORDS = ("Random", "GloVe", "word2vec", "fastText")
_PRETRAINED = ("GloVe", "word2vec", "fastText", "ELMo", "BERT")


_More = Callable[[float, float], Verdict]


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


def texts_tried(matrix: Matrix) -> float:
    """Return how many texts of a source were tried on a target, in the mean over the pairs that were measured."""
    return float(matrix.texts[~np.isnan(matrix.rates)].mean())


def findings(
    analysis: Analysis,
    asymmetry: Asymmetry,
    beside: Mapping[str, Gap] | None = None,
    texts: float | None = None,
) -> list[Finding]:
    """Test the six findings; with few models their figures are told, and no verdict.

    A figure is a mean over pairs of models that read texts made from the same originals: it is as sure as a share
    of ``texts`` texts, however many models there are. Of two figures, one is larger where the interval of their
    difference says so, as in every claim of a study.

    Args:
        analysis: What was taken from a matrix.
        asymmetry: How far the matrix is from a symmetric one.
        beside: The impacts of the factors beside those under the genetic attack, where the matrix is PWWS's.
        texts: How many texts of each model were tried; None takes figures as they are, as those of a paper.
    """
    more = _Comparison(texts).more
    found = [
        _order(analysis.impacts, more),
        _berts(analysis.by_architecture, more),
        _direction(analysis, asymmetry, more),
        _overfitting(beside),
        _characters(analysis.by_input, more),
        _pretrained(analysis.by_input, more),
    ]
    if asymmetry.models >= _ENOUGH_MODELS:
        return found
    return [finding._replace(parts=dict.fromkeys(finding.parts, CANNOT_BE_TOLD)) for finding in found]


def _order(impacts: Mapping[str, Impact], more: _More) -> Finding:
    figures = {factor: impacts[factor].mean for factor in FACTORS}
    return Finding(
        "the input form matters most, then architecture, embedding, capacity",
        {f"{one} > {next_}": more(figures[one], figures[next_]) for one, next_ in pairwise(FACTORS)},
        figures,
    )


def _berts(table: ClassTable, more: _More) -> Finding:
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
        {"made on BERTs transfer worse": more(others, sent), "BERTs receive less": more(others, received)},
        {"from BERTs": sent, "to BERTs": received, "between the others": others},
    )


def _direction(analysis: Analysis, asymmetry: Asymmetry, more: _More) -> Finding:
    """The paper's rates inside classes are *consistently* higher: every class must stand out, not their mean."""
    rates = analysis.by_architecture.rates
    same, others = np.diag(rates), np.where(np.eye(len(rates), dtype=np.bool_), np.nan, rates)
    beside = [np.array([*others[number], *others[:, number]]) for number in range(len(same))]
    known = [
        (float(own), float(np.nanmax(rest)))
        for own, rest in zip(same, beside, strict=True)
        if not (np.isnan(own) or np.isnan(rest).all())
    ]
    every = [more(own, largest) for own, largest in known]
    least, inside = min((own - largest for own, largest in known), default=float("nan")), _mean(same)
    between = _between(analysis.by_architecture, lambda row, column: row != column)
    return Finding(
        "transfer is not symmetric, and higher inside a class of models than between classes",
        {
            "not symmetric": _Comparison(None).more(_at_least(asymmetry), _BY_CHANCE),
            "higher inside a class on average": more(inside, between),
            "higher inside every class": verdict(every) if every else CANNOT_BE_TOLD,
        },
        {
            "mean difference by direction": asymmetry.mean,
            "pairs that differ beyond chance": asymmetry.significant,
            "inside a class": inside,
            "between classes": between,
            "inside above all others of a class, at least": least,
        },
    )


def _overfitting(beside: Mapping[str, Gap] | None) -> Finding:
    claim = "PWWS fits its texts to their source more than the genetic attack"
    if beside is None:  # one matrix alone does not say which of the two attacks it is of
        return Finding(claim, dict.fromkeys(FACTORS, CANNOT_BE_TOLD), {})
    figures: dict[str, float] = {}
    for factor, gap in beside.items():
        figures |= {f"PWWS, {factor}": gap.pwws, f"GA, {factor}": gap.ga}
        if gap.low < gap.high:
            figures |= {f"{factor}, PWWS less GA, from": gap.low, f"{factor}, to": gap.high}
    return Finding(claim, {factor: _above_zero(gap) for factor, gap in beside.items()}, figures)


def _above_zero(gap: Gap) -> Verdict:
    return HOLDS if gap.low > 0 else DOES_NOT_HOLD if gap.high < 0 else CANNOT_BE_TOLD


def _characters(table: ClassTable, more: _More) -> Finding:
    received, sent = table.receives, table.sends
    rest = [name for name in table.classes if name != "Character"]
    return Finding(
        "models of characters are harder to fool with others' texts than those of words or sub-words, and theirs "
        "transfer worst",
        {
            "receive less than words": more(_least(received, _WORDS), received["Character"]),
            "receive less than sub-words": more(received["BERT"], received["Character"]),
            "send least": more(_least(sent, rest), sent["Character"]),
        },
        {
            "to characters": received["Character"],
            "to words, at least": _least(received, _WORDS),
            "to sub-words": received["BERT"],
            "from characters": sent["Character"],
            "from others, at least": _least(sent, rest),
        },
    )


def _pretrained(table: ClassTable, more: _More) -> Finding:
    received = table.receives
    return Finding(
        "pretrained models are harder to fool with others' texts",
        {f"{name} receives less than Random": more(received["Random"], received[name]) for name in _PRETRAINED},
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


class _Comparison(NamedTuple):
    """Tells which of two shares is larger, as far as so many texts can tell."""

    texts: float | None

    def more(self, one: float, other: float) -> Verdict:
        """Say whether the first is larger, in that the interval of the difference lies above zero."""
        if np.isnan(one) or np.isnan(other):
            return CANNOT_BE_TOLD
        first, second = self._term(one), self._term(other)
        low, high = difference(first, second)
        return (
            HOLDS
            if low > 0
            else DOES_NOT_HOLD
            if high < 0 or (self.texts is None and one <= other)
            else CANNOT_BE_TOLD
        )

    def _term(self, share: float) -> Term:
        if self.texts is None:
            return Term("", share)
        return Term("", share, "", wilson(share * self.texts, self.texts))


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 6)
