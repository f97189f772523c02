"""Figures of the analyses as a reader's browser shows them, in its own fonts."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from unfool_papers.analysis import Figure, write_svg

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
NAMES = ["LSTM-Attention@yelp_polarity", "mean in the paper", "mean, 95 % interval"]


def test_no_word_of_a_figure_is_cut_off_or_overlaps_another(chromium: Any, tmp_path: Path) -> None:
    victim = {"field": "victim", "type": "nominal", "title": None, "axis": {"labelLimit": 330}}
    colour = {"field": "victim", "type": "nominal", "title": None, "legend": {"orient": "bottom"}}
    chart = {
        "mark": "point",
        "encoding": {"y": victim, "x": {"field": "Re", "type": "quantitative"}, "color": colour},
    }
    rows = [{"victim": name, "Re": place} for place, name in enumerate(NAMES)]
    page = chromium.new_page()
    page.goto(write_svg(Figure("re", "Re", "Three points.", rows, chart), tmp_path).as_uri())
    width = page.evaluate("document.documentElement.getBoundingClientRect().width")
    assert [text for text, left, right in texts(page, "svg text") if left < 0 or right > width] == []
    legend = texts(page, ".role-legend-label text")
    assert [text for text, _, _ in legend] == NAMES
    assert all(right < left for (_, _, right), (_, left, _) in pairwise(legend))
    page.close()


def test_no_word_of_a_published_figure_is_cut_off(chromium: Any) -> None:
    page = chromium.new_page()
    cut: dict[str, list[str]] = {}
    for file in sorted([*(ROOT / "docs").rglob("*.svg"), *(ROOT / "papers" / "pages").rglob("*.svg")]):
        page.goto(file.as_uri())
        width = page.evaluate("document.documentElement.getBoundingClientRect().width")
        beyond = [text for text, left, right in texts(page, "svg text") if left < 0 or right > width]
        cut |= {file.relative_to(ROOT).as_posix(): beyond} if beyond else {}
    page.close()
    assert cut == {}


def texts(page: Any, selector: str) -> list[tuple[str, float, float]]:
    """Return what some texts of a figure say, and where they begin and end."""
    found: list[tuple[str, float, float]] = page.locator(selector).evaluate_all(
        "texts => texts.map((text) => [text, text.getBoundingClientRect()])"
        ".map(([text, box]) => [text.textContent, box.left, box.right])"
    )
    return found
