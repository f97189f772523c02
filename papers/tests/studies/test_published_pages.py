"""Published pages are renewed from the numbers that are kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from papers.tests.studies.test_row_table import ROW, said

from unfool_papers.analysis import Figure
from unfool_papers.scripts.published import judged_anew, pictured, publish, renew

ROOT = Path(__file__).parents[3]
PAGE = """# A paper

## What the paper claims

- **does not hold**: an old claim.

## Attacks

What columns mean.

| attack | reported |
| --- | --- |
| `old` | 1 |

What differs:

- nothing

![How often](toy/attacks.svg)

*An old caption.*

![Defences](toy/defences-t.svg)

*Another one.*
"""


def test_the_table_the_bars_and_their_captions_are_made_anew(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    rate = {"value": 0.5, "low": 0.4, "high": 0.6, "of": 90}
    arms = {"bare": {"rates": {"clean": rate}, "said": {}, "f1": {}, "p": {}, "passes": 1.0, "ms a query": 2.0}}
    found = {
        "rows": [{**ROW, "differs": "", "reported": [said("success %", 97)]}],
        "claims": [{"claim": "a", "on": "b", "verdict": "holds", "p": [], "figures": {"c": 1.5}, "beside": {}}],
        "parts": {
            "Defences": {
                "notes": ["In parentheses stands much."],
                "t": {"base": "zoo:NB@imdb", "where": "T", "arms": arms},
            }
        },
    }
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "study-toy.json").write_text(json.dumps(found))
    folder = tmp_path / "papers" / "pages" / "studies" / "toy"
    folder.mkdir(parents=True)
    folder.with_suffix(".md").write_text(PAGE)
    written = renew("toy", tmp_path).read_text("utf-8")
    assert "old" not in written.lower().replace("holds", "")
    assert "\n\n- **holds**: a (b): c: 1.5.\n\n## Attacks" in written
    assert "| `pwws` | NB@imdb | 90.0 | 27.0 | 70.0 [48.0, 85.0] | 97 (Table 1) |" in written
    assert "\n\nWhat differs:\n\n- nothing\n\n" in written
    assert "attacks.svg)\n\n*A bar is the share of attacked texts that fool." in written
    assert "defences-t.svg)\n\n*A bar for each defence, in percent; from the top, the texts as they are" in written
    assert "red mark" in written.partition("defences-t")[0]
    assert "red mark" not in written.partition("defences-t")[2]
    assert sorted(file.name for file in folder.iterdir()) == ["attacks.svg", "defences-t.svg"]


def test_a_table_that_is_new_comes_behind_its_neighbour_and_pictures_are_drawn_anew(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    rate = {"value": 0.5, "low": 0.4, "high": 0.6, "of": 90}
    arms = {"bare": {"rates": {"clean": rate}, "said": {}, "f1": {}, "p": {}, "passes": 1.0, "ms a query": 2.0}}
    change = {"figure": "premade", "arm": "FACT", "percent": -79, "than": "bare", "bound": False}
    table = {
        "base": "zoo:NB@imdb",
        "where": "T",
        "arms": arms,
        "changes": [{**change, "value": -72.7, "low": -76.0, "high": -68.9}],
    }
    found = {"rows": [ROW | {"differs": ""}], "parts": {"Defences": {"notes": ["In parentheses."], "t": table}}}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "study-toy.json").write_text(json.dumps(found))
    page = tmp_path / "papers" / "pages" / "studies" / "toy.md"
    (page.parent / "toy").mkdir(parents=True)
    there = "\n**zoo:NB@imdb, t: texts as they are (T)**\n\n| old |\n"
    page.write_text(PAGE + there + "\n![Old cloud](toy/t-clouds.png)\n\n*An old cloud.*\n\nThe end.\n")
    written = renew("toy", tmp_path).read_text("utf-8")
    once = "| FACT | bare | errors on texts that fooled the base | -72.7 (-76 to -69) [-79] |\n\n"
    assert written.count(once) == 1
    assert renew("toy", tmp_path).read_text("utf-8") == written  # and only once

    figure = Figure("t-clouds", "New cloud", "A new one.", [{"x": 1}], {"mark": "point", "encoding": {}})
    (tmp_path / "t-clouds.json").write_text(json.dumps({"figure": figure._asdict()}))
    written = pictured("toy", tmp_path, tmp_path).read_text("utf-8")
    assert "![New cloud](toy/t-clouds.svg)\n\n*A new one.*\n\nThe end." in written
    assert (page.parent / "toy" / "t-clouds.svg").is_file()


def test_a_part_done_alone_takes_its_place_on_the_page_and_in_the_numbers(tmp_path: Path) -> None:
    def claim(about: str, verdict: str) -> dict[str, object]:
        return {"claim": about, "on": "b", "verdict": verdict, "p": [], "figures": {}, "beside": {}}

    kept = {
        "rows": [ROW],
        "claims": [claim("of rows", "holds"), claim("of the part", "cannot be told")],
        "parts": {"Other": {"x": 1}},
        "figures": {"old": []},
    }
    anew = {
        "study": "toy",
        "scale": "full",
        "rows": [],
        "claims": [claim("of the part", "holds")],
        "parts": {"Part": {"y": 2}},
        "figures": {"new": [1]},
    }
    results = tmp_path / "results" / "study-toy.json"
    results.parent.mkdir()
    results.write_text(json.dumps(kept))
    page = tmp_path / "papers" / "pages" / "studies" / "toy.md"
    page.parent.mkdir(parents=True)
    page.write_text(f"{PAGE}\n## Part\n\nold part\n\n## Other\n\nother part\n")
    (tmp_path / "study" / "figures").mkdir(parents=True)
    (tmp_path / "study" / "figures" / "new.svg").write_text("<svg/>")
    (tmp_path / "study" / "results.json").write_text(json.dumps(anew))
    made = (
        "# Toy\n\nmade alone\n\n## What the paper claims\n\nx\n\n## Part\n\n![New](figures/new.svg)\n\nnew part\n"
    )
    (tmp_path / "study" / "study.md").write_text(made)

    written = publish(tmp_path / "study", tmp_path).read_text("utf-8")
    assert written.startswith("# A paper\n")
    assert "- **holds**: of rows (b).\n- **holds**: of the part (b).\n\n## Attacks" in written
    assert "an old claim" not in written
    assert "![New](toy/new.svg)\n\nnew part\n\n## Other\n\nother part\n" in written
    assert "old part" not in written
    assert (page.parent / "toy" / "new.svg").is_file()
    found = json.loads(results.read_bytes())
    assert found["parts"] == {"Other": {"x": 1}, "Part": {"y": 2}}
    assert found["figures"] == {"old": [], "new": [1]}
    assert [each["verdict"] for each in found["claims"]] == ["holds", "holds"]
    assert found["rows"] == [ROW]
    told = "Carried out later, by `--only`, perhaps on another machine: Part.\n\n## "
    assert written.count(told) == 1
    assert publish(tmp_path / "study", tmp_path).read_text("utf-8") == written  # and only once


def test_claims_of_rows_are_judged_anew_and_those_of_parts_stay() -> None:
    """A claim that no one made when the rows were measured is judged by what was kept of them."""
    study = json.loads((ROOT / "results" / "study-cs229.json").read_bytes())
    own = {
        "claim": "a part's",
        "on": "both halves",
        "figures": {"a": 1.0, "b": 2.0},
        "p": [0.5],
        "verdict": "holds",
    }
    falls = next(claim for claim in study["claims"] if claim["claim"] == "accuracy falls with N")
    kept = {**study, "claims": [{**falls, "p": [None, 0.5, 0.5]}, own]}
    made = judged_anew(kept)
    assert made[-1] == own
    again = next(claim for claim in made if (claim["claim"], claim["on"]) == (falls["claim"], falls["on"]))
    assert (again["p"], again["verdict"]) == ([None, 0.5, 0.5], "cannot be told")
    assert [claim["claim"] for claim in made].count("costs almost nothing, less than 2 points of all reviews") == 2
