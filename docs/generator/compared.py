"""The page that sets all attacks side by side, made of ``results/attacks-compared.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docs.generator.subjects import DOCS

from unfool_papers.analysis import Figure, write_svg
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

KEPT = DOCS.parent / "results" / "attacks-compared.json"
PAGE = DOCS / "attacks-compared.md"
_MADE = re.compile(r"(<!-- made: compared -->\n).*?(<!-- end -->)", re.DOTALL)
_COSTS = {"queries": "queries", "characters": "characters changed, %", "similarity": "similarity"}
Row = Mapping[str, Any]


def write_page() -> None:
    """Renew the page's tables and its picture."""
    kept = json.loads(KEPT.read_text("utf-8"))
    PAGE.write_text(rendered(PAGE.read_text("utf-8"), kept), encoding="utf-8")
    write_svg(figure(kept["victims"]), DOCS / "images")


def rendered(page: str, kept: Mapping[str, Any]) -> str:
    """Return the page with its made part as it should be."""
    victims = kept["victims"]
    drawn = figure(victims)
    parts = [
        markdown(_worst(victims)),
        f"![{drawn.title}](images/{drawn.name}.svg)\n\n*{drawn.caption}*",
        *(markdown(_table(each)) for each in victims),
    ]
    return _MADE.sub(lambda match: f"{match[1]}\n" + "\n\n".join(parts) + f"\n\n{match[2]}", page)


def figure(victims: Sequence[Row]) -> Figure:
    """Draw success against each cost; the attacks that no other beats in both have their names beside them."""
    rows = [row for victim in victims for row in _points(victim)]
    point = {
        "mark": {"type": "point", "filled": True, "size": 35},
        "encoding": {
            "x": {"field": "value", "type": "quantitative", "title": None, "scale": {"zero": False}},
            "y": {"field": "success", "type": "quantitative", "title": "success, %"},
            "color": {"field": "family", "type": "nominal", "title": "what it changes, or needs"},
        },
    }
    name = {
        "transform": [{"filter": "datum.best"}],
        "mark": {"type": "text", "align": "left", "dx": 5, "fontSize": 9},
        "encoding": {key: point["encoding"][key] for key in ("x", "y")} | {"text": {"field": "attack"}},
    }
    chart = {
        "facet": {
            "row": {"field": "victim", "title": None, "sort": [victim["victim"] for victim in victims]},
            "column": {"field": "cost", "title": None, "sort": list(_COSTS.values())},
        },
        "spec": {"width": 300, "height": 220, "layer": [point, name]},
        "resolve": {"scale": {"x": "independent"}},
    }
    return Figure(
        "attacks-compared",
        "What attacks fool, and what that takes",
        "Every point is an attack: its success rate, and the median queries of its successes, or the mean share of "
        "characters they change, or how similar they stay. Attacks named are those that no other beats in both.",
        rows,
        chart,
    )


def _points(victim: Row) -> Iterator[Row]:
    told = [each for each in victim["attacks"] if each["queries"] is not None and each["success"]["value"]]
    for cost, title in _COSTS.items():
        costs = [(-1 if cost == "similarity" else 1) * each[cost] for each in told]
        for each, dear in zip(told, costs, strict=True):
            rate = each["success"]["value"]
            beaten = any(
                other["success"]["value"] >= rate
                and less <= dear
                and (other["success"]["value"], less) != (rate, dear)
                for other, less in zip(told, costs, strict=True)
            )
            yield {
                "victim": victim["victim"],
                "attack": each["attack"].partition(":")[0],
                "family": each["family"],
                "cost": title,
                "value": each[cost],
                "success": 100 * rate,
                "best": not beaten,
            }


def _worst(victims: Sequence[Row]) -> Table:
    columns = ("victim", "sentences", "most queries", "attacks", "right before, %", "right under all of them, %")
    rows = [
        [
            each["victim"],
            str(each["sentences"]),
            str(each["queries"]),
            str(each["worst"]["attacks"]),
            _share(each["attacks"][0]["clean"]),
            _share(each["worst"]["accuracy"]),
        ]
        for each in victims
    ]
    return Table("The worst case of all", columns, rows)


def _table(victim: Row) -> Table:
    columns = (
        "attack", "changes, or needs", "success, %", "queries", "of all", "words, %", "characters, %", "similarity",
        "ran out",
    )  # fmt: skip
    order = sorted(victim["attacks"], key=lambda each: -(each["success"]["value"] or 0))
    return Table(victim["victim"], columns, [_row(each) for each in order])


def _row(each: Row) -> list[str]:
    name = each["attack"].partition(":")[0]
    return [
        f"[`{each['attack']}`](attacks/{name}.md)",
        each["family"],
        _share(each["success"]),
        _number(each["queries"], 0),
        _number(each["queries of all"], 0),
        _number(each["words"], 1),
        _number(each["characters"], 1),
        _number(each["similarity"], 2),
        str(each["out of queries"]),
    ]


def _share(rate: Mapping[str, Any]) -> str:
    if rate["value"] is None:
        return "–"
    return f"{100 * rate['value']:.1f} [{100 * rate['low']:.1f}, {100 * rate['high']:.1f}]"


def _number(value: float | None, decimals: int) -> str:
    return "–" if value is None else f"{value:,.{decimals}f}"
