"""What is declared and not kept is named, on a study's page and by a study that takes kept results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from papers.tests.studies.test_row_table import ROW
from tests.end_to_end.command import REVIEWS

from unfool_papers.analysis import Figure
from unfool_papers.catalogue import STUDIES
from unfool_papers.pages import PAGES
from unfool_papers.study import Claim, Figures, Part, Plan, Row, Section, Study, Work, carry_out
from unfool_papers.study.plan import LATER
from unfool_papers.study.smaller import plan_as_part
from unfool_papers.study.undone import undone

FILMS = str(REVIEWS)
ROWS = tuple(
    Row(9, attack, f"zoo:{net}@films", "films", n=30, confidence=sure)
    for net in ("NB", "WordCNN")
    for attack, sure in (("pwws", 0.5), ("pwws", 0.9), ("list", 0.0))
)


def no_claims(figures: Figures) -> list[Claim]:
    return []


def look(work: Work) -> Section:
    claim = {"claim": "a", "on": "b", "verdict": "holds", "p": [], "figures": {}, "beside": {}}
    return Section(claims=[claim], figures=[Figure("look", "Look", "", [], {})], notes=[f"{len(work.runs)} runs"])


def test_rows_and_parts_that_are_not_kept_are_named() -> None:
    plan = Plan(ROWS, no_claims, (Part("A look", look), Part("Another", look), Part("A third", look)))
    rows = [{"row": row.name, "n": 20} for row in ROWS[:2]]
    problems = {ROWS[2].name: "it failed", "Another": "it failed, too"}
    assert undone(plan, {"rows": rows, "parts": {"A look": {}}, "problems": problems}) == {
        **problems,
        "attacks on WordCNN@films": "not run: `pwws` at 0.5, 0.9, `list`",
        "attacks on NB@films on all of 30 texts": "run on 20: `pwws` at 0.5, 0.9",
        "A third": "nothing of it is kept",
    }


@pytest.mark.parametrize("name", STUDIES)
def test_every_published_page_names_what_is_declared_and_not_kept(name: str) -> None:
    page = PAGES[f"studies/{name}"].text
    kept = json.loads((Path(__file__).parents[3] / "results" / f"study-{name}.json").read_bytes())
    plan = STUDIES[name].plans["full"]
    told = page.partition("\n## Not done\n")[2]
    assert {line[2:].partition(": ")[0] for line in told.splitlines() if line} == {
        what.partition(": ")[0] for what in undone(plan, kept)
    }
    for part in plan.parts:
        assert part.title in kept["parts"] or f"- {part.title}: nothing of it is kept" in told
    for row in plan.rows:
        assert row.name in {each["row"] for each in kept["rows"]} or f"`{row.attack}`" in told


def test_a_study_takes_rows_of_fewer_texts_once_time_is_up_and_says_so(tmp_path: Path) -> None:
    plan = Plan(ROWS[:2], no_claims)
    study = Study("tiny", 9, "Tiny", "", {"smoke": plan})
    record = {**ROW, "row": ROWS[0].name, "n": 20, "differs": ""}
    (tmp_path / "attacks.json").write_text(json.dumps({"rows": [record]}))
    done = carry_out(study, "smoke", out=tmp_path / "out", device="cpu", minutes=0, kept=tmp_path)
    assert [each["n"] for each in done.found.records] == [20]
    assert done.found.problems == {ROWS[1].name: LATER}
    assert "- attacks on NB@films on all of 30 texts: run on 20: `pwws` at 0.5\n" in done.page.read_text()


@pytest.mark.parametrize("name", STUDIES)
def test_all_rows_of_a_page_are_taken_from_what_is_kept(name: str, tmp_path: Path) -> None:
    results = Path(__file__).parents[3] / "results"
    plan = STUDIES[name].plans["full"]
    rows = Study(name, 9, "Rows alone", "", {"full": plan._replace(parts=())})
    found = carry_out(rows, "full", out=tmp_path, device="cpu", minutes=0, kept=results).found
    published = json.loads((results / f"study-{name}.json").read_bytes())
    for key in ("row", "n"):
        assert [each[key] for each in found.records] == [each[key] for each in published["rows"]]
    judged = {(claim["claim"], claim["on"]) for claim in found.claims}
    of_rows = {
        (claim.said, claim.about) for claim in plan.claims(Figures({each["row"]: each for each in found.records}))
    }
    assert judged == of_rows & {(claim["claim"], claim["on"]) for claim in published["claims"]}


def test_a_plan_within_a_plan_does_its_rows_and_parts_and_names_its_claims(tmp_path: Path) -> None:
    row = Row(9, "random:trials=3", "py:unfool.victims.vader:probabilities", FILMS, n=4)
    part = plan_as_part("In small", Plan((row,), no_claims, (Part("A look", look),), "Smaller."), "films")
    section = part.do(Work(tmp_path, "cpu", 1, print, progress=False))
    assert section.values["rows"][0]["n"] == 4
    assert section.tables[0].title == "Attacks"
    assert [claim["on"] for claim in section.claims] == ["films: b"]
    assert [figure.name for figure in section.figures] == ["look-films"]
    assert section.notes == ["Smaller.", "1 runs"]
    assert not section.problems
