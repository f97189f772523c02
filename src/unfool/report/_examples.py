"""Which outcomes a report shows, and how their texts are made fit to show."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from unfool.engine import Outcome, Status
from unfool.runs import ClassFigures, Run, Summary, label_name

_ORDER = (Status.SUCCESS, Status.FAILED, Status.SKIPPED)


def choose_examples(run: Run, most: int) -> list[Outcome]:
    """Return the first outcomes of a run, successes before failures before skipped samples."""
    kept: dict[Status, list[Outcome]] = {status: [] for status in _ORDER}
    for outcome in run.outcomes():
        if len(kept[outcome.status]) < most:
            kept[outcome.status].append(outcome)
        if len(kept[Status.SUCCESS]) == most:
            break
    return list(chain.from_iterable(kept.values()))[:most]


def percent(value: float | None) -> str:
    """Return a percentage with one digit, or a dash where there is none."""
    return "–" if value is None else f"{value:.1f} %"


def number(value: float | None) -> str:
    """Return a figure with one digit, or a dash where there is none."""
    return "–" if value is None else f"{value:,.1f}"


def success_rate(summary: Summary | ClassFigures) -> str:
    """Return the success rate; where most samples had nothing tried on them, that of the others with its count."""
    tried = summary.attacked - summary.untried
    if summary.telling:
        return str(summary.success_rate)
    return f"{summary.success_rate_tried} of {tried:,} tried" if tried else "nothing was tried"


def under_attack(summary: Summary) -> str:
    """Return the accuracy under attack, unless most samples had nothing tried on them."""
    return str(summary.accuracy_under_attack) if summary.telling else "–"


def told_extremes(classes: Sequence[ClassFigures], names: Sequence[str]) -> str:
    """Say between which labels the success rates lie, where there are too many labels for a table."""
    rates = [
        (found.success_rate.value, label_name(names, found.label))
        for found in classes
        if found.attacked and found.telling
    ]
    told = f"{len(classes)} labels; the report and --json have the figures of each"
    if not rates:
        return told
    (low, lowest), (high, highest) = (choose(rates, key=lambda rate: rate[0] or 0) for choose in (min, max))
    return f"{told}; success rates from {low:.1%} ({lowest}) to {high:.1%} ({highest})"


def counted(times: int, one: str, more: str) -> str:
    """Return a number with the word for what is counted: *1 query*, *2 queries*."""
    return f"{times} {one if times == 1 else more}"


def figure(value: float | None) -> str:
    """Return an attack's own figure with four digits, or a dash where there is none."""
    return "–" if value is None else f"{value:,.4g}"
