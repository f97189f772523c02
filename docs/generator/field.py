"""The table that sets attacks beside TextAttack's recipes, made of ``results/bench-field.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from docs.generator.subjects import DOCS

from unfool_papers.study.plan import Table
from unfool_papers.study.tables import markdown

KEPT = DOCS.parent / "results" / "bench-field.json"
PAGE = DOCS / "benchmarks.md"
_MADE = re.compile(r"(<!-- made: field -->\n).*?(<!-- end -->)", re.DOTALL)
_CHARACTERS = ("deepwordbug", "textbugger", "pruthi")
_MASKED = ("bae", "clare")
Row = Mapping[str, Any]


def write_table() -> None:
    """Renew the table."""
    PAGE.write_text(rendered(PAGE.read_text("utf-8"), pairs()), encoding="utf-8")


def pairs() -> list[tuple[Row, Row]]:
    """Return our row and theirs of each attack on each victim."""
    rows = json.loads(KEPT.read_text("utf-8"))["rows"]
    found = list(zip(rows[0::2], rows[1::2], strict=True))
    return sorted(found, key=lambda pair: (pair[0]["victim"] == "MiniLM", -pair[0]["times TextAttack"]))


def floor(row: Row) -> int | None:
    """Return how many times as fast as TextAttack an attack should be."""
    if row["victim"] == "MiniLM":
        return 10
    return 8 if row["attack"] in _CHARACTERS else 5 if row["attack"] in _MASKED else None


def rendered(page: str, found: Sequence[tuple[Row, Row]]) -> str:
    """Return the page with its table as it should be."""
    table = rows_of(found)
    return _MADE.sub(lambda match: f"{match[1]}\n{table}\n\n{match[2]}", page)


def rows_of(found: Sequence[tuple[Row, Row]]) -> str:
    """Write the table: ours before theirs in each cell that has both."""
    columns = (
        "victim", "attack", "both attacked", "success, %", "queries", "words changed, %", "samples a CPU second",
        "times", "floor",
    )  # fmt: skip
    return markdown(Table("Ours, then TextAttack's", columns, [_cells(*pair) for pair in found]))


def _cells(ours: Row, theirs: Row) -> list[str]:
    least = floor(ours)
    return [
        ours["victim"],
        f"[`{ours['attack']}`](attacks/{ours['attack']}.md)",
        str(ours["attacked by both"]),
        "; ".join(f"{each['success %']} [{each['low']}, {each['high']}]" for each in (ours, theirs)),
        "; ".join(f"{each['queries']:,}" for each in (ours, theirs)),
        "; ".join(str(each["words changed %"]) for each in (ours, theirs)),
        "; ".join(f"{each['samples a CPU second']:g}" for each in (ours, theirs)),
        f"{ours['times TextAttack']:g}",
        "–"
        if least is None
        else f"{least}, {'holds' if ours['times TextAttack'] >= least else '**does not hold**'}",
    ]
