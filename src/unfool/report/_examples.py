"""Which outcomes a report shows, and how their texts are made fit to show."""

from __future__ import annotations

from itertools import chain

from unfool.engine import Outcome, Status
from unfool.runs import Run

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


def counted(times: int, one: str, more: str) -> str:
    """Return a number with the word for what is counted: *1 query*, *2 queries*."""
    return f"{times} {one if times == 1 else more}"


def figure(value: float | None) -> str:
    """Return an attack's own figure with four digits, or a dash where there is none."""
    return "–" if value is None else f"{value:,.4g}"
