"""Figures are rounded once, where they are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from unfool.stats import Rate
from unfool.transfer import ModelFigures, TransferSummary
from unfool_papers.study.record import _share
from unfool_papers.study.tables import ROW_COLUMNS, row_table

RESULTS = Path(__file__).parents[3] / "results"
JUST_BELOW = Rate(119, 181)
"""65.746 %, which is 65.75 in two decimals, and not 65.8 in one."""
OF = {"clean accuracy %": "n", "accuracy under attack %": "n", "success %": "attacked"}
FILES = [path.name for path in (RESULTS / "attacks.json", *sorted(RESULTS.glob("study-*.json")))]


def rows(file: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((RESULTS / file).read_text(encoding="utf-8"))["rows"]
    return found


def test_a_share_just_below_a_half_is_not_rounded_up() -> None:
    row = rows("attacks.json")[0] | _share("success %", JUST_BELOW)
    assert " 65.7 [58." in " " + row_table([row]).rows[0][ROW_COLUMNS.index("fooled, %")]
    model = ModelFigures("m", JUST_BELOW, None, None, 0.5, 0.5, 0.5)
    written = TransferSummary({}, (model,), ("m",), ("m",), ((JUST_BELOW,),), ((None,),), None, None).to_json()
    values = (written["models"][0]["accuracy"]["value"], written["rates"][0][0][0])
    assert [f"{value:.1%}" for value in values] == ["65.7%"] * 2


@pytest.mark.parametrize("file", FILES)
def test_shares_in_the_results_are_as_counted(file: str) -> None:
    for row in rows(file):
        for figure, of in OF.items():
            if row[figure] is not None:
                count = row[figure] * row[of] / 100
                assert count == pytest.approx(round(count), abs=1e-6)
                bounds = [100 * bound for bound in Rate(round(count), row[of]).interval]
                assert row[f"{figure} interval"] == pytest.approx(bounds)
