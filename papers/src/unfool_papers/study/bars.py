"""Bars with their intervals, and a paper's figures as marks beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from unfool_papers.analysis import Figure


class Bar(NamedTuple):
    """A share in percent."""

    panel: str
    name: str
    ours: float | None
    low: float
    high: float
    paper: float | None
    """What the paper says; None where it says nothing."""


def bars(name: str, title: str, caption: str, shares: Sequence[Bar], axis: str) -> Figure:
    """Draw shares, one panel below the other."""
    rows = [share._asdict() for share in shares]

    def order(field: str) -> list[Any]:
        return list(dict.fromkeys(row[field] for row in rows))

    mark = " A red mark is the paper's figure." if any(share.paper is not None for share in shares) else ""
    y = {"field": "name", "type": "nominal", "sort": order("name"), "title": None, "axis": {"labelLimit": 260}}
    x = {"type": "quantitative", "scale": {"domain": [0, 100]}, "stack": None, "title": axis}
    header = {"labelAngle": 0, "labelOrient": "top", "labelAnchor": "start", "labelFontWeight": "bold"}
    return Figure(
        name,
        title,
        f"{caption} A black line is the 95 % interval.{mark}",
        rows,
        {
            "facet": {
                "row": {
                    "field": "panel",
                    "type": "nominal",
                    "sort": order("panel"),
                    "title": None,
                    "header": header,
                }
            },
            "resolve": {"scale": {"y": "independent"}},
            "spec": {
                "width": 420,
                "height": {"step": 16},
                "layer": [
                    {
                        "mark": {"type": "bar", "color": "#9ecae1"},
                        "encoding": {"y": y, "x": {"field": "ours", **x}},
                    },
                    {
                        "mark": "rule",
                        "encoding": {
                            "y": y,
                            "x": {"field": "low", "type": "quantitative"},
                            "x2": {"field": "high"},
                        },
                    },
                    {
                        "mark": {"type": "tick", "color": "#d62728", "thickness": 3},
                        "encoding": {"y": y, "x": {"field": "paper", "type": "quantitative"}},
                    },
                ],
            },
        },
    )
