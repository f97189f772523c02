"""Which operations on characters an attack chose: flip, insert, delete (HotFlip, section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.errors import UserError
from unfool.stats import Rate
from unfool_papers.analysis.figure import Figure
from unfool_papers.analysis.outcomes import Outcomes, successes_of

OPERATIONS = ("flip", "delete", "insert")
Kinds = tuple[int, int, int]
"""How many flips, deletions and insertions."""
Codes = NDArray[np.int64]
_FIRST_REACH = 8
_NO_WAY = 1 << 60


def operation_mix(run: Outcomes, *, reported: Mapping[str, float] | None = None) -> Figure:
    """Return the shares of flips, deletions and insertions over the texts that fooled the victim.

    They are read from the texts before and after: of the shortest ways from one to the other, one with the most
    flips. An insertion and a deletion that meet in one place count as the flip they look like.

    Args:
        run: A run, or outcomes.
        reported: A paper's shares by operation, drawn beside ours.

    Raises:
        UserError: If no text fooled the victim, or none was changed.
    """
    counts: Counter[str] = Counter()
    for outcome in successes_of(run, "the mix of operations"):
        for old, new in zip(outcome.original, outcome.perturbed, strict=True):
            counts.update(operations_between(old, new))
    total = counts.total()
    if not total:
        raise UserError(
            "no text was changed, so there is no mix of operations to show; give a run with changed texts"
        )
    rows: list[dict[str, Any]] = []
    for operation in OPERATIONS:
        low, high = Rate(counts[operation], total).interval
        share = counts[operation] / total
        rows.append(
            {
                "operation": operation,
                "count": counts[operation],
                "of": total,
                "share": share,
                "low": low,
                "high": high,
            }
            | ({"reported": reported[operation]} if reported else {})
        )
    told = ", ".join(f"{row['share']:.1%} {row['operation']}" for row in rows)
    return Figure(
        "operation-mix",
        "Operations on characters where the attack succeeded",
        f"{total} characters changed: {told}. Read from the texts before and after, not from the search's steps.",
        rows,
        _chart(bool(reported)),
    )


def operations_between(old: str, new: str) -> Counter[str]:
    """Count the operations that turn one string into another.

    A letter may have become a mark, which ends a word: so it is not words but what stands between blanks that is
    set side by side.
    """
    before, after = old.split(), new.split()
    pairs = zip(before, after, strict=True) if len(before) == len(after) else [(old, new)]
    counts: Counter[str] = Counter()
    for one, other in pairs:
        if one != other:
            counts.update(dict(zip(OPERATIONS, _fewest(one, other), strict=True)))
    return counts


def _fewest(first: str, second: str) -> Kinds:
    """Return the operations of a shortest way between two strings, one with the most flips."""
    old, new = (np.array([*map(ord, string)], dtype=np.int64) for string in _without_ends_alike(first, second))
    reach = max(_FIRST_REACH, abs(len(new) - len(old)))
    while (found := _within(old, new, reach)) is None:
        reach *= 2
    return found


def _without_ends_alike(first: str, second: str) -> tuple[str, str]:
    """Cut off what two strings begin with alike, then what they end with alike: no shortest way goes through it."""
    start, end, shorter = 0, 0, min(len(first), len(second))
    while start < shorter and first[start] == second[start]:
        start += 1
    while end < shorter - start and first[-1 - end] == second[-1 - end]:
        end += 1
    return first[start : len(first) - end], second[start : len(second) - end]


def _within(old: Codes, new: Codes, reach: int) -> Kinds | None:
    """Like `_fewest`, of no more than so many operations; None where it takes more.

    Such a way leads to no place of one string that is further from that of the other: long texts that differ little
    are walked along, not all over.
    """
    # A flip costs a little less than the others: of ways as long, the one with the most flips is the cheapest.
    cost = len(old) + len(new) + 1
    further = cost * np.arange(2 * reach + 1)
    row = np.where(further < cost * reach, _NO_WAY, further - cost * reach)
    beside = np.pad(new, (reach, reach + len(old) - len(new)), constant_values=-1)
    for place, letter in enumerate(old):
        flipped = row + (cost - 1) * (beside[place : place + len(row)] != letter)
        flipped[:-1] = np.minimum(flipped[:-1], row[1:] + cost)
        row = np.minimum.accumulate(flipped - further) + further
    spent = int(row[reach + len(new) - len(old)])
    operations = -(-spent // cost)
    flips = operations * cost - spent
    deleted = (operations - flips + len(old) - len(new)) // 2
    return (flips, deleted, operations - flips - deleted) if operations <= reach else None


def _chart(with_reported: bool) -> dict[str, Any]:
    y = {"field": "operation", "type": "nominal", "sort": list(OPERATIONS), "title": None}
    percent = {"type": "quantitative", "axis": {"format": ".0%"}, "title": "share of all operations"}
    label = [
        {"calculate": "format(datum.share, '.1%') + ' (' + datum.count + ')'", "as": "label"},
        {"calculate": "max(datum.high, datum.reported || 0)", "as": "end"},
    ]
    domain = {"domain": [0, 1]}
    layers: list[dict[str, Any]] = [
        {
            "mark": {"type": "bar", "color": "#4c78a8", "height": {"band": 0.6}},
            "encoding": {"x": {"field": "share", "scale": domain, **percent}, "y": y},
        },
        {
            "mark": {"type": "rule", "color": "#1f3a57", "strokeWidth": 1.5},
            "encoding": {"x": {"field": "low", "type": "quantitative"}, "x2": {"field": "high"}, "y": y},
        },
        {
            "transform": label,
            "mark": {"type": "text", "align": "left", "dx": 8},
            "encoding": {
                "x": {"field": "end", "type": "quantitative"},
                "y": y,
                "text": {"field": "label", "type": "nominal"},
            },
        },
    ]
    if with_reported:
        layers.append(
            {
                "mark": {"type": "tick", "thickness": 3, "opacity": 1, "height": {"band": 0.9}},
                "encoding": {
                    "x": {"field": "reported", "type": "quantitative"},
                    "y": y,
                    "color": {
                        "datum": "the paper",
                        "scale": {"range": ["#f58518"]},
                        "legend": {"title": None, "symbolType": "square", "symbolOpacity": 1},
                    },
                },
            }
        )
    return {"width": 420, "height": {"step": 44}, "layer": layers}
