"""A chart with the numbers behind it, drawn by Vega-Lite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from unfool.report import draw

SHADES: Mapping[str, Any] = {"range": ["white", "#08519c"], "interpolate": "rgb"}
"""The colours of a heat map: nothing is the colour of paper."""


class Figure(NamedTuple):
    """A chart, what it shows in a sentence, and its data."""

    name: str
    """What its file is called, such as ``embedding-variation``."""
    title: str
    caption: str
    """What there is to see, for those who cannot, and what differs from the paper's."""
    rows: Sequence[Mapping[str, Any]]
    """The data: one row a mark."""
    chart: Mapping[str, Any]
    """The Vega-Lite chart without its data: mark, encoding, sizes."""

    @property
    def spec(self) -> dict[str, Any]:
        """The Vega-Lite chart with its title and data."""
        return {
            "title": self.title,
            "data": {"values": list(self.rows)},
            **self.chart,
        }


def write_svg(figure: Figure, folder: Path) -> Path:
    """Draw a figure into a folder and return its file.

    Raises:
        UserError: If the package that draws is not installed.
    """
    file = folder / f"{figure.name}.svg"
    file.write_text(draw(figure.spec), encoding="utf-8")
    return file
