"""Bars over steps of a number, with a line at the mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

_MOST_BARS = 40
_STEPS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)


def steps_of(values: Sequence[float], smallest: float, *, first: float) -> list[dict[str, float]]:
    """Count values by steps of equal width, as narrow as few enough bars allow.

    Args:
        values: What is counted; none may be below ``first``.
        smallest: The least width of a step.
        first: Where the first step begins.

    Returns:
        One row a step, empty ones too: ``from`` (counted in), ``to`` (not counted in), ``texts``, ``share``.
    """
    reach = max(values) - first
    fitting = (step for step in _STEPS if step >= smallest and reach / step < _MOST_BARS)
    step = next(fitting, math.ceil(reach / _MOST_BARS) + 1)
    counts = [0] * (math.floor(reach / step) + 1)
    for value in values:
        counts[math.floor((value - first) / step)] += 1
    return [
        {
            "from": first + number * step,
            "to": first + (number + 1) * step,
            "texts": count,
            "share": round(count / len(values), 4),
        }
        for number, count in enumerate(counts)
    ]


def bars(title: str, rules: Sequence[Mapping[str, Any]], *, shift: float = 0) -> dict[str, Any]:
    """Return the chart of such rows.

    Args:
        title: Of the axis of values.
        rules: Upright lines, each with ``at`` and a ``name``.
        shift: How far to move the bars, so that a whole number stands under the middle of its bar.
    """
    edges = [
        {"calculate": f"datum['from'] + {shift}", "as": "left"},
        {"calculate": f"datum.to + {shift}", "as": "right"},
    ]
    scale = {"zero": False, "nice": False}
    layers = [
        {
            "transform": edges,
            "mark": {"type": "bar", "binSpacing": 1, "color": "#4c78a8"},
            "encoding": {
                "x": {"field": "left", "type": "quantitative", "bin": "binned", "title": title, "scale": scale},
                "x2": {"field": "right"},
                "y": {"field": "texts", "type": "quantitative", "title": "texts", "axis": {"tickMinStep": 1}},
            },
        },
        {
            "data": {"values": list(rules)},
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {
                "x": {"field": "at", "type": "quantitative"},
                "color": {
                    "field": "name",
                    "type": "nominal",
                    "title": None,
                    "scale": {"range": ["#f58518", "#54a24b"]},
                    "sort": None,
                    "legend": {"orient": "top-right", "labelLimit": 260, "fillColor": "white", "padding": 4},
                },
            },
        },
    ]
    return {"width": 480, "height": 240, "layer": layers}
