"""The tables of papers/pages/transfer.md are those that the kept results give."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unfool_papers.study.tables import markdown
from unfool_papers.transferability.matrix import complete
from unfool_papers.transferability.matrix_tables import tables

ROOT = Path(__file__).parents[2]
SHOWN = ("Table 2", "Table 3", "Table 4")
AG_NEWS = "## AG News, texts of 44"


@pytest.mark.parametrize("data", ["rotten_tomatoes", "ag_news"])
def test_the_page_shows_the_tables_as_they_are_printed(data: str) -> None:
    found = complete(json.loads((ROOT / "results" / f"transfer-{data}-pwws.json").read_text("utf-8")))
    page = (ROOT / "papers" / "pages" / "transfer.md").read_text("utf-8")
    reviews, news = page.split(AG_NEWS)
    part = (news if data == "ag_news" else reviews).splitlines()
    made = [each for each in tables(found, None) if each.title.startswith(SHOWN) and "corrected" not in each.title]
    assert len(made) == len(SHOWN)
    for table in made:
        _, _, *rows = markdown(table).split("\n\n")[-1].splitlines()
        assert [row for row in rows if row not in part] == []
