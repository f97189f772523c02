"""Charts, drawn by Vega: its library for the page, and pictures by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from unfool.errors import UserError, not_installed
from unfool.resources import build_once, cache_root
from unfool.transfer import Matrix, short_name

_FILE = "vega.js"
_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_FONT = "DejaVu Sans, sans-serif"
"""Room for words is measured when a picture is drawn. In a font wider than the reader's none are cut off."""


def chart_library() -> str:
    """Return the JavaScript of Vega, Vega-Lite and Vega-Embed, or nothing if the package that ships it is missing.

    Putting it together takes seconds, so it is kept.
    """
    try:
        vega = _vega()
    except UserError:
        return ""

    def build(folder: Path) -> None:
        library = vega.javascript_bundle("window.vegaEmbed = vegaEmbed;")
        (folder / _FILE).write_text(library, encoding="utf-8")

    kept = build_once(cache_root() / f"vega-{version('vl-convert-python')}", build)
    return (kept / _FILE).read_text(encoding="utf-8")


def draw(chart: Mapping[str, Any]) -> str:
    """Return the SVG picture of a Vega-Lite chart with its data.

    Raises:
        UserError: If the package that draws is not installed.
    """
    picture: str = _vega().vegalite_to_svg({"$schema": _SCHEMA, **chart}, config={"font": _FONT})
    return picture


def heat_map(matrix: Matrix) -> str:
    """Return an SVG picture: sources from top to bottom, targets from left to right, the darker the higher.

    Raises:
        UserError: If the package that draws is not installed.
    """
    rows, chart = heat_map_chart(matrix)
    return draw({"data": {"values": rows}, **chart})


def heat_map_chart(matrix: Matrix) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rates, a row a square, and the Vega-Lite chart that draws them."""
    names = short_names([*matrix.sources, *matrix.targets])
    sources, targets = ([names[name] for name in side] for side in (matrix.sources, matrix.targets))
    rows = [
        {"source": sources[row], "target": targets[column], "rate": round(float(matrix.rates[row, column]), 4)}
        for row, column in np.argwhere(~np.isnan(matrix.rates)).tolist()
    ]
    for row in rows:
        row["description"] = f"{row['source']} → {row['target']}: {row['rate']:.1%}"
    colour = {"field": "rate", "type": "quantitative", "scale": {"scheme": "orangered", "domain": [0, 1]}}
    chart = {
        "width": {"step": 18},
        "height": {"step": 18},
        "mark": "rect",
        "encoding": {
            "x": {"field": "target", "type": "nominal", "scale": {"domain": targets}},
            "y": {"field": "source", "type": "nominal", "scale": {"domain": sources}},
            "color": colour,
            "description": {"field": "description"},
        },
    }
    return rows, chart


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Return a short name for each model; the whole one if two would look the same."""
    short = {name: short_name(name) for name in names}
    return short if len(set(short.values())) == len(short) else {name: name for name in short}


def _vega() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise not_installed("charts are drawn with Vega", "report") from None
    return vl_convert
