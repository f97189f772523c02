"""What a person reads of a row: the paper's figure beside ours."""

from __future__ import annotations

from typing import Any

import pytest

from unfool_papers.study.tables import ROW_COLUMNS, row_table

ROW: dict[str, Any] = {
    "attack": "pwws",
    "victim": "zoo:NB@imdb",
    "data": "imdb",
    "confidence": 0.0,
    "n": 20,
    "attacked": 18,
    "clean accuracy %": 90.0,
    "accuracy under attack %": 27.0,
    "success %": 70.0,
    "success % interval": [48.0, 85.0],
    "words changed %": 9.0,
    "characters changed %": 8.0,
    "queries": 61.0,
    "reported": [],
    "stand-in": "",
    "seconds": 3.0,
    "device": "cpu",
}


def said(figure: str, value: float, **more: Any) -> dict[str, Any]:
    return {"figure": figure, "value": value, "sign": "", "where": "Table 1", "ours": 0.8, **more}


@pytest.mark.parametrize(
    ("reported", "cell"),
    [
        (said("success %", 97), "97 (Table 1)"),
        (said("success %", 95, sign=">"), ">95 (Table 1)"),
        (said("accuracy under attack %", 12.7), "12.7 left (Table 1)"),
        (said("mean success over trials %", 1.1), "1.1 a trial, ours 0.8 (Table 1)"),
    ],
)
def test_the_paper_s_figure_stands_right_behind_ours(reported: dict[str, Any], cell: str) -> None:
    assert ROW_COLUMNS.index("reported") == ROW_COLUMNS.index("fooled, %") + 1
    table = row_table([{**ROW, "reported": [reported]}])
    assert dict(zip(table.columns, table.rows[0], strict=True))["reported"] == cell
    assert table.rows[0][4:6] == ("70.0 [48.0, 85.0]", cell)


def test_each_figure_stands_in_its_column() -> None:
    table = row_table([ROW])
    assert dict(zip(table.columns, table.rows[0], strict=True)) == {
        "attack": "`pwws`",
        "victim": "NB@imdb",
        "clean, %": "90.0",
        "left, %": "27.0",
        "fooled, %": "70.0 [48.0, 85.0]",
        "reported": "",
        "words, %": "9.0",
        "characters, %": "8.0",
        "queries": "61.0",
        "data": "imdb",
        "attacked of": "18 of 20",
        "seconds": "3, cpu",
    }
