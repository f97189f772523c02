"""The part of that page which sets searches side by side, made of ``results/searches-compared.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from docs.generator.compared import PAGE
from docs.generator.subjects import DOCS

from unfool.stats import wilson
from unfool_papers.analysis import Figure, write_svg
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

KEPT = DOCS.parent / "results" / "searches-compared.json"
_MADE = re.compile(r"(<!-- made: searches -->\n).*?(<!-- end -->)", re.DOTALL)
Row = Mapping[str, Any]


def write_part() -> None:
    """Renew the table and its picture."""
    rows = json.loads(KEPT.read_text("utf-8"))["rows"]
    PAGE.write_text(rendered(PAGE.read_text("utf-8"), rows), encoding="utf-8")
    write_svg(figure(rows), DOCS / "images")


def rendered(page: str, rows: Sequence[Row]) -> str:
    """Return the page with this part as it should be."""
    drawn = figure(rows)
    parts = [markdown(_table(rows)), f"![{drawn.title}](images/{drawn.name}.svg)\n\n*{drawn.caption}*"]
    return _MADE.sub(lambda match: f"{match[1]}\n" + "\n\n".join(parts) + f"\n\n{match[2]}", page)


def figure(rows: Sequence[Row]) -> Figure:
    """Draw the success of each search by the queries it may spend, a space beside the other."""
    points = [
        {
            "space": each["space"],
            "search": _name(each["search"]),
            "queries": int(most),
            "success": 100 * count / each["attacked"],
        }
        for each in rows
        for most, count in each["within"].items()
    ]
    chart = {
        "facet": {"column": {"field": "space", "title": None, "sort": ["synonyms", "neighbours"]}},
        "spec": {
            "width": 320,
            "height": 260,
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": {"field": "queries", "type": "quantitative", "scale": {"type": "log"}, "title": "queries"},
                "y": {"field": "success", "type": "quantitative", "title": "success, %"},
                "color": {"field": "search", "type": "nominal", "title": "search"},
            },
        },
    }
    return Figure(
        "searches-compared",
        "Searches on one space",
        "Success of searches that choose among the same words, by the queries a sentence may cost. The lines of "
        "best-first and of beam:width=1 lie on each other.",
        points,
        chart,
    )


def _table(rows: Sequence[Row]) -> Table:
    most = list(rows[0]["within"])
    columns = ("space", "search", *(f"≤ {int(each):,} queries" for each in most), "words changed, %")
    return Table("Success, %, by the queries a sentence may cost", columns, [_cells(each) for each in rows])


def _cells(row: Row) -> list[str]:
    found = list(row["within"].values())
    low, high = wilson(found[-1], row["attacked"])
    shares = [f"{100 * count / row['attacked']:.1f}" for count in found]
    shares[-1] += f" [{100 * low:.1f}, {100 * high:.1f}]"
    return [row["space"], f"`{_name(row['search'])}`", *shares, str(row["words changed %"])]


def _name(search: str) -> str:
    """Return a search without its space, which stands beside it."""
    name, _, settings = search.partition(":")
    kept = [each for each in settings.split(",") if each.startswith("width=")]
    return f"{name}:{kept[0]}" if kept else name
