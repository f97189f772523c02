"""The page of attacks is made of its file; the zoo's accuracies were measured, of every net that is attacked.

Every number on the other pages is held by `test_page_numbers`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from unfool_papers.scripts import attacks

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "papers" / "pages"


def kept(name: str) -> Any:
    return json.loads((ROOT / "results" / f"{name}.json").read_text("utf-8"))


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text("utf-8")


def rows(text: str) -> list[str]:
    """Return the rows of all tables in a text."""
    return [line for line in text.splitlines() if line.startswith("| ")]


def test_the_page_of_attacks_is_made_of_its_file() -> None:
    assert page("attacks") == attacks.markdown(kept("attacks"))


def test_all_rows_of_hotflip_stand_on_its_page() -> None:
    """Those on the CNN of characters were done on another machine than the rest."""
    every = [each["row"] for each in kept("attacks")["rows"] if each["paper"] == 5]
    assert [each["row"] for each in kept("study-hotflip")["rows"]] == every


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


def test_nets_that_were_attacked_and_not_measured_are_named() -> None:
    measured = {each["model"] for each in kept("zoo")}
    missing = {each["victim"] for each in kept("attacks")["rows"]} - measured
    (said,) = re.findall(
        r"\*\*Not measured\*\* on a test set, though attacked: (.*?)\.",
        (ROOT / "docs" / "zoo.md").read_text("utf-8"),
    )
    assert set(re.split(r", | and ", said)) == {name.removeprefix("zoo:") for name in missing}
