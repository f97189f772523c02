"""How much smaller or larger an arm's figures are than another's: errors, words changed, queries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from unfool.engine import Status
from unfool.runs import Run
from unfool.stats import Z95, percentage
from unfool_papers.defence_tables.table import ANEW, PREMADE, Change, DefenceTable
from unfool_papers.study.claim import Term

_MEANS = {"words changed by": "words_changed", "queries of": "queries_mean"}
_LEAST = 0.5
"""Stands for no errors at all, of which there is no ratio."""


def standard_errors(folder: Path) -> dict[str, dict[str, float]]:
    """Return how sure the means of an arm under attack are, by attack, of the runs of its evaluation."""
    found: dict[str, dict[str, float]] = {}
    for run in sorted((folder / "runs").glob("victim-*")):
        attacked = [each for each in Run.open(run).outcomes() if each.status is not Status.SKIPPED]
        won = [each for each in attacked if each.status is Status.SUCCESS]
        values: dict[str, list[float]] = {
            "words_changed": [percentage(each.words_changed, each.words) for each in won],
            "queries_mean": [each.queries for each in attacked],
        }
        found[run.name.removeprefix("victim-").partition("-")[2]] = {
            name: float(np.std(each, ddof=1)) / math.sqrt(len(each))
            for name, each in values.items()
            if len(each) > 1
        }
    return found


def changes_of(table: DefenceTable, arms: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return, of what a table says changes, how much it did, in percent, with 95 % intervals where there are any.

    The interval is that of a ratio by the delta method (Katz's, where both are shares), as if the two arms had been
    tried on different texts: where they agree about the same ones, it is wider than it need be. Where only bounds
    of an accuracy are known, it spans those of both.
    """
    found = []
    for change in table.changes:
        ends = list(_ends(change, arms))
        if ends:
            value, _, _ = ends[0]
            known = [(low, high) for _, low, high in ends if low is not None and high is not None]
            found.append(
                {
                    **change._asdict(),
                    "value": value,
                    "low": min(low for low, _ in known) if known else None,
                    "high": max(high for _, high in known) if known else None,
                    "bound": len(ends) > 1,
                }
            )
    return found


def _ends(change: Change, arms: Mapping[str, Any]) -> Iterator[tuple[float, float | None, float | None]]:
    """Yield the change and its interval; twice where only bounds are known, the larger accuracy first."""
    own, other = arms.get(change.arm, {}), arms.get(change.than, {})
    kind, _, attack = change.figure.rpartition(" ")
    if name := _MEANS.get(kind):
        ours, theirs = (arm.get("under attack", {}).get(attack, {}) for arm in (own, other))
        if ours.get(name) and theirs.get(name):
            sure = [each.get("standard errors", {}).get(name) for each in (ours, theirs)]
            relative = [se and se / each[name] for se, each in zip(sure, (ours, theirs), strict=True)]
            known = math.hypot(*relative) if None not in relative else None
            yield _percent(ours[name] / theirs[name], known)
        return
    rate, base = (arm.get("rates", {}).get(change.figure) for arm in (own, other))
    if not rate or not base or None in (rate["value"], base["value"]):
        return
    for right in dict.fromkeys((rate["value"], rate.get("least", rate["value"]))):
        shares = [1 - share for share in (right, base["value"])]
        counts = [max(_LEAST, share * each["of"]) for share, each in zip(shares, (rate, base), strict=True)]
        within = sum((1 - share) / count for share, count in zip(shares, counts, strict=True))
        yield _percent(counts[0] / rate["of"] / (counts[1] / base["of"]), math.sqrt(within))


def _percent(ratio: float, error: float | None) -> tuple[float, float | None, float | None]:
    """Return a ratio as a change in percent, with its interval by the standard error of its logarithm."""
    if error is None:
        return 100 * (ratio - 1), None, None
    reach = math.exp(Z95 * error)
    return 100 * (ratio - 1), 100 * (ratio / reach - 1), 100 * (ratio * reach - 1)


def claimed(found: Mapping[str, Any], about: str) -> tuple[str, str, list[Term]]:
    """Return what is claimed of a change, about what, and its terms: it is at least as large as the paper's."""
    way, sign = ("fewer", -1) if found["percent"] < 0 else ("more", 1)
    size = abs(found["percent"])
    low, high = (math.inf if found[end] is None else sign * found[end] for end in ("low", "high"))
    interval = (min(low, high), max(low, high)) if math.isfinite(low) else (-math.inf, math.inf)
    ours = f"{way}, %" + (", at most" if found["bound"] else "")
    said = f"{spelt_out(found['figure'])}: {found['arm']} has at least {size:g} % {way} than {found['than']}"
    return said, about, [Term(ours, round(sign * found["value"], 1), "", interval), Term("the paper's", size)]


def spelt_out(figure: str) -> str:
    """Say what a change is of."""
    if figure.rpartition(" ")[0] in _MEANS:
        return figure
    if figure == PREMADE:
        return "errors on texts that fooled the base"
    attack = figure.removesuffix(ANEW).partition(" by ")[2]
    return f"errors under {attack}, by fresh answers"
