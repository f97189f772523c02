"""What a paper claims, as figures that must fall, and whether ours do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from unfool.runs import Comparison, Run, compare
from unfool.stats import paired_difference, wilson
from unfool_papers.study.record import Record

_PAIRED = ("success %", "accuracy under attack %")
_BY_CHANCE = 0.05
Verdict = Literal["holds", "does not hold", "cannot be told"]
HOLDS: Verdict = "holds"
DOES_NOT_HOLD: Verdict = "does not hold"
CANNOT_BE_TOLD: Verdict = "cannot be told"


class Term(NamedTuple):
    """One figure of an ordering."""

    label: str
    value: float | None
    """None where it was not measured."""
    row: str = ""
    """The row it is from, where two such figures may be compared text by text."""
    interval: tuple[float, float] | None = None
    """The 95 % interval; None where the figure is taken as it is."""
    of: int | None = None
    """How many texts a share is of."""

    @classmethod
    def share(cls, label: str, count: int, of: int, judges: int = 1) -> Term:
        """Make so many of so many a term, in percent.

        Where several models judge the same texts, certainty grows with the texts, not with the judges.
        """
        low, high = wilson(count / judges, of / judges)
        return cls(label, round(100 * count / of, 1) if of else None, "", (100 * low, 100 * high), of)


class Claim(NamedTuple):
    """Figures that fall from the first to the last, if the paper is right; with a margin, that are about equal."""

    paper: int
    said: str
    about: str
    terms: Sequence[Term]
    beside: Mapping[str, float] = {}
    """Figures worth seeing that no claim is made about."""
    within: float | None = None
    """The margin of a claim that neighbours are about equal: by how much they differ at most, in their own unit."""


class Figures:
    """The records, by what was attacked with what."""

    def __init__(self, records: Mapping[str, Record]) -> None:
        self._records = {(r["attack"], r["victim"], r["data"], r["confidence"]): r for r in records.values()}

    def of(self, attack: str, victim: str, data: str, confidence: float = 0.0) -> Record | None:
        """Return the record, if there is one."""
        return self._records.get((attack, f"zoo:{victim}", data, confidence))

    def term(self, label: str, record: Record | None, figure: str = "success %") -> Term:
        """Make one figure of a record a term."""
        if record is None or record.get(figure) is None:
            return Term(label, None)
        row = record["row"] if figure in _PAIRED else ""
        return Term(label, round(record[figure], 2), row, _interval(record, figure))

    def best(self, label: str, found: Sequence[Record | None]) -> Term:
        """Return the highest success rate; none where one of them was not measured."""
        whole = [record for record in found if record is not None]
        if len(whole) < len(found):
            return Term(label, None)
        return self.term(label, max(whole, key=lambda record: record["success %"] or 0))


Apart = tuple[float, float]
"""The 95 % interval of a difference."""


def judged(
    claim: Claim,
    runs: Mapping[str, Run],
    chances: Sequence[float | None] | None = None,
    apart: Sequence[Apart] | None = None,
) -> dict[str, Any] | None:
    """Say whether a claim holds, ``level`` where figures are the same; None where one is missing.

    ``p`` tells how likely neighbours in the ordering would differ as much by chance (McNemar's test over the texts
    both attacked), where that can be told and their runs are at hand. ``verdict`` goes by it, and elsewhere by the
    interval of the difference (Newcombe's, of the two Wilson intervals): what may be chance cannot be told.

    That figures are about equal holds where the interval of their difference lies within the margin, and does not
    where it lies outside. The interval is of the texts both attacked where the runs are at hand.

    Args:
        claim: The claim.
        runs: The runs of its terms, by row.
        chances: The p of each two neighbours, where it is known already.
        apart: The interval of each two neighbours' difference, where it is known already.
    """
    values = [term.value for term in claim.terms if term.value is not None]
    if len(values) < len(claim.terms):
        return None
    told = {
        "paper": claim.paper,
        "claim": claim.said,
        "on": claim.about,
        "figures": {term.label: term.value for term in claim.terms},
        "beside": dict(claim.beside),
    }
    neighbours = list(pairwise(claim.terms))
    if claim.within is not None:
        apart = apart or [_apart(first, second, runs) for first, second in neighbours]
        return told | {
            "p": [None for _ in neighbours],
            "apart": [[round(bound, 2) for bound in each] for each in apart],
            "within": claim.within,
            "holds": "yes" if all(abs(one - two) <= claim.within for one, two in pairwise(values)) else "no",
            "verdict": verdict([_within(each, claim.within) for each in apart]),
        }
    if chances is None:
        chances = [_p(first, second, runs) for first, second in neighbours]
    return told | {
        "p": [p if p is None else float(f"{p:.2g}") for p in chances],
        "holds": _order(values),
        "verdict": verdict(
            [_step(first, second, p) for (first, second), p in zip(neighbours, chances, strict=True)]
        ),
    }


def _within(apart: Apart, margin: float) -> Verdict:
    low, high = apart
    if -margin < low and high < margin:
        return HOLDS
    return DOES_NOT_HOLD if low > margin or high < -margin else CANNOT_BE_TOLD


def verdict(steps: Sequence[Verdict]) -> Verdict:
    """Put steps together: all must hold, and one that surely does not is enough."""
    if DOES_NOT_HOLD in steps:
        return DOES_NOT_HOLD
    return CANNOT_BE_TOLD if CANNOT_BE_TOLD in steps else HOLDS


def difference(first: Term, second: Term) -> tuple[float, float]:
    """Return Newcombe's interval of the first figure less the second."""
    assert first.value is not None
    assert second.value is not None
    low, high = first.interval or (first.value, first.value)
    other_low, other_high = second.interval or (second.value, second.value)
    apart = first.value - second.value
    below = (first.value - low) ** 2 + (other_high - second.value) ** 2
    above = (high - first.value) ** 2 + (second.value - other_low) ** 2
    return apart - below**0.5, apart + above**0.5


def _step(first: Term, second: Term, p: float | None) -> Verdict:
    assert first.value is not None
    assert second.value is not None
    if p is not None:
        if p >= _BY_CHANCE or first.value == second.value:
            return CANNOT_BE_TOLD
        return HOLDS if first.value > second.value else DOES_NOT_HOLD
    low, high = difference(first, second)
    return HOLDS if low > 0 else DOES_NOT_HOLD if high < 0 else CANNOT_BE_TOLD


def _order(values: Sequence[float]) -> str:
    steps = [first - second for first, second in pairwise(values)]
    return "no" if min(steps) < 0 else "yes" if min(steps) > 0 else "level"


def _p(first: Term, second: Term, runs: Mapping[str, Run]) -> float | None:
    found = _compared(first, second, runs)
    return found.p_value if found else None


def _apart(first: Term, second: Term, runs: Mapping[str, Run]) -> Apart:
    found = _compared(first, second, runs)
    if found is None:
        return difference(first, second)
    low, high = paired_difference(found.only_a, found.only_b, found.attacked)
    return 100 * low, 100 * high


def _compared(first: Term, second: Term, runs: Mapping[str, Run]) -> Comparison | None:
    """Compare two terms text by text, where both have a run and the runs are over the same texts."""
    one, two = runs.get(first.row), runs.get(second.row)
    if one is None or two is None or one.config["fingerprint"] != two.config["fingerprint"]:
        return None
    return compare(one, two)


def _interval(record: Record, figure: str) -> tuple[float, float] | None:
    if found := record.get(f"{figure} interval"):
        return found[0], found[1]
    if figure != "mean success over trials %" or figure not in record:
        return None
    # Many trials a text, but few texts: as if each text had been tried once.
    low, high = wilson(record[figure] / 100 * record["attacked"], record["attacked"])
    return 100 * low, 100 * high
