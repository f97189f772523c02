"""The page of attacks and the studies' pages are made of their files; what is said of nets is of those attacked.

Every number on the other pages is held by `test_page_numbers`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from unfool.stats import Rate, wilson
from unfool_papers.defence_tables.part import tables_of
from unfool_papers.scripts import attacks, searched, stored_sets
from unfool_papers.study.page import attack_table, sentence
from unfool_papers.study.plan import Table
from unfool_papers.study.tables import differences, markdown

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "papers" / "pages"
STUDIES = ("self-attention", "cs229", "firebert", "hotflip")


def kept(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_text("utf-8"))


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text("utf-8")


def rows(text: str) -> list[str]:
    """Return the rows of all tables in a text."""
    return [line for line in text.splitlines() if line.startswith("| ")]


def test_the_page_of_attacks_is_made_of_its_file() -> None:
    assert page("attacks") == attacks.markdown(kept("attacks"))


@pytest.mark.parametrize("name", STUDIES)
def test_a_studys_page_is_made_of_its_file(name: str) -> None:
    found, text = kept(f"study-{name}"), page(f"studies/{name}")
    made = rows(attack_table(found["rows"]))
    for part in found["parts"].values():
        for title, table in part.items():
            if isinstance(table, dict) and table.get("arms"):
                made += [row for each in tables_of(title, table) for row in rows(markdown(each))]
    made += ["| model | dev half | test half | report, dev and test |", "| --- | --- | --- | --- |"]
    for model, half in found["parts"].get("Both halves of the test reviews", {}).get("halves", {}).items():
        told = " | ".join(str(Rate(half[side]["count"], half[side]["of"])) for side in ("dev", "test"))
        made += [row for row in rows(text) if row.startswith(f"| {model} | {told} |")]
    uncovered = [row for row in rows(text) if row not in made]
    assert uncovered == [] or name == "self-attention"  # which has a table of Re
    claims = re.findall(r"^- \*\*(?:holds|does not hold|cannot be told)\*\*.*$", text, re.MULTILINE)
    assert claims == [f"- {sentence(claim)}" for claim in found["claims"]]
    for note in differences(found["rows"]):
        assert f"- {note}" in text


def test_all_rows_of_hotflip_stand_on_its_page() -> None:
    """Those on the CNN of characters were done on another machine than the rest."""
    every = [each["row"] for each in kept("attacks")["rows"] if each["paper"] == 5]
    assert [each["row"] for each in kept("study-hotflip")["rows"]] == every


def test_captions_are_those_of_today() -> None:
    assert "over all their answers" not in page("studies/cs229")
    assert page("studies/cs229").count("Bars are 95 % intervals for other texts, not for other seeds.") == 2


def test_accuracies_of_the_zoo_are_those_that_were_measured() -> None:
    """Both seeds of a net stand in one cell."""
    found = {each["model"].removeprefix("zoo:"): each for each in kept("zoo") if "problem" not in each}
    table = [
        [cell.strip() for cell in row.split("|")[1:4]]
        for row in rows((ROOT / "docs" / "zoo.md").read_text("utf-8"))
        if "@" in row.split("|")[1] and row.count("|") == 7
    ]
    assert len(table) > 15
    for model, told, of in table:
        seeds = [found[model], *([found[f"{model}#1"]] if ", " in re.sub(r"\[.*?\]", "", told) else [])]
        low_high = ("{:.1f} [{:.1f}, {:.1f}]".format(each["test %"], *each["interval"]) for each in seeds)
        assert told == ", ".join(low_high), model
        assert of == str(found[model]["n"])


def test_a_margin_of_almost_nothing_is_told_with_what_was_lost() -> None:
    (tack_on, swap) = (
        claim for claim in kept("study-cs229")["claims"] if claim["claim"].startswith("costs almost nothing")
    )
    text = " ".join(page("analysis").split())
    for claim in (tack_on, swap):
        least, most = claim["beside"].values()
        assert f"{claim['figures']['lost']} points [{least:g}, {most:g}]" in text
        assert claim["figures"]["margin"] == 2
        assert claim["verdict"] == "does not hold"
        assert least > 2


def test_where_the_same_words_are_tried_success_is_the_same() -> None:
    claims = [c for c in kept("study-self-attention")["claims"] if c["claim"].startswith("gs-ec turns about")]
    assert len(claims) == 5
    apart = [abs(first - second) for first, second in (claim["figures"].values() for claim in claims)]
    assert sorted(apart)[:4] == [0, 0, 0, 0]
    assert f"by {max(apart):.1f} points on BERT@mnli" in " ".join(page("analysis").split())
    harder = [c for c in kept("study-self-attention")["claims"] if c["claim"].startswith("entailment is harder")]
    more = [c for c in kept("study-self-attention")["claims"] if " > asmin-" in c["claim"]]
    assert (len(harder), len(more)) == (16, 10)
    assert {claim["verdict"] for claim in (*harder, *more)} == {"holds"}


def test_nets_that_were_attacked_and_not_measured_are_named() -> None:
    measured = {each["model"] for each in kept("zoo")}
    missing = {each["victim"] for each in kept("attacks")["rows"]} - measured
    (said,) = re.findall(
        r"\*\*Not measured\*\* on a test set, though attacked: (.*?)\.",
        (ROOT / "docs" / "zoo.md").read_text("utf-8"),
    )
    assert set(re.split(r", | and ", said)) == {name.removeprefix("zoo:") for name in missing}


def test_the_small_tables_stored_sets_and_searches_are_those_of_their_files() -> None:
    text = page("defences")
    (small,) = kept("defences-smoke")["firebert"].values()
    under = next(table for table in tables_of("rotten_tomatoes", small) if "under attack" in table.title)
    shown = [[cell.split(" [")[0] for cell in each[:4]] for each in under.rows]
    for line in rows(markdown(Table("", ("defence", "before", "left, asked anew", "left, same noise"), shown)))[2:]:
        assert line in text
    for line in rows(markdown(stored_sets.table(kept("stored-sets"))))[2:]:
        assert line in text
    for line in rows(markdown(searched.table(kept("search-five-rotten_tomatoes"))))[2:]:
        assert line in text
    own, plain = (
        (each["accuracy"]["count"], each["accuracy"]["of"])
        for side in ("victim", "base")
        for each in (kept("switch-own-vectors")["premade"][0][side],)
    )
    for count, of in (own, plain):
        low, high = wilson(count, of)
        assert f"{100 * count / of:.1f} % ({100 * low:.0f}–{100 * high:.0f}" in text
