"""The tables of papers/pages/transfer.md are those that the kept results give."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from unfool.data import at_hand
from unfool_papers.study import carry_out
from unfool_papers.study.page import sentence
from unfool_papers.study.tables import markdown
from unfool_papers.transferability import STUDY
from unfool_papers.transferability.matrix import complete, six_findings
from unfool_papers.transferability.matrix_tables import tables

ROOT = Path(__file__).parents[2]
SHOWN = ("Table 2", "Table 3", "Table 4")
AG_NEWS = "## AG News, all 63"


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


@pytest.mark.parametrize("data", ["rotten_tomatoes", "ag_news"])
def test_the_page_says_of_the_findings_what_their_intervals_say(data: str) -> None:
    found = complete(json.loads((ROOT / "results" / f"transfer-{data}-pwws.json").read_text("utf-8")))
    page = (ROOT / "papers" / "pages" / "transfer.md").read_text("utf-8")
    reviews, news = page.split(AG_NEWS)
    rows = [
        line.split(" | ")
        for line in (news if data == "ag_news" else reviews).splitlines()
        if re.match(r"\| [1-6] .* \| \*\*(yes|no|cannot be told)\*\*", line)
    ]
    (told,) = (table for table in tables(found, None) if table.title.startswith("The six findings"))
    assert len(rows) == len(told.rows) == 6
    for (_, *said), (_, *judged) in zip(rows, told.rows, strict=True):
        assert [each.split("**")[1] for each in said] == [each.split("**")[1] for each in judged]


def test_every_sentence_about_the_genetic_attack_follows() -> None:
    """On 26 nets no factor moves beyond chance from one attack to the other."""
    pwws, ga = (
        json.loads((ROOT / "results" / f"26-nets-{name}.json").read_text("utf-8")) for name in ("pwws", "ga")
    )
    for corrected in (False, True):
        fourth = six_findings(pwws, ga, corrected=corrected)[3]
        assert set(fourth.parts.values()) == {"cannot be told"}


def test_the_page_of_the_study_is_the_one_that_the_kept_results_give(tmp_path: Path) -> None:
    if at_hand("rotten_tomatoes") is None:
        pytest.skip(
            "rotten_tomatoes is not at hand, without which the study stands in; name its folder in UNFOOL_DATA"
        )
    told = list[str]()
    done = carry_out(
        STUDY, "full", out=tmp_path / "out", device="cpu", minutes=0, kept=ROOT / "results", say=told.append
    )
    assert not [said for said in told if "training" in said]
    page = (ROOT / "papers" / "pages" / "studies" / "transferability.md").read_text("utf-8").splitlines()
    assert [each for each in map(sentence, done.found.all_claims) if f"- {each}" not in page] == []
    rows = (
        row for part in done.found.sections.values() for table in part.tables for row in markdown(table).split("\n")
    )
    assert [row for row in rows if row not in page] == []
    assert [f"- {name}: {why}" for name, why in done.found.problems.items() if f"- {name}: {why}" not in page] == []
    assert all("python -m unfool_papers.scripts." in why for why in done.found.problems.values())
