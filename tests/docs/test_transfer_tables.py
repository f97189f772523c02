"""The page of the study of transferability is the one that the kept results give, and so is finding 4."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unfool.data import at_hand
from unfool_papers.study import carry_out
from unfool_papers.study.page import sentence
from unfool_papers.study.tables import markdown
from unfool_papers.transferability import STUDY
from unfool_papers.transferability.matrix import six_findings

ROOT = Path(__file__).parents[2]


def test_every_sentence_about_the_genetic_attack_follows() -> None:
    """On 26 nets texts of the genetic attack lose more by the embedding; nothing else can be told."""
    pwws, ga = (
        json.loads((ROOT / "results" / f"26-nets-{name}.json").read_text("utf-8")) for name in ("pwws", "ga")
    )
    for corrected in (False, True):
        fourth = six_findings(pwws, ga, corrected=corrected)[3]
        told = {factor: verdict for factor, verdict in fourth.parts.items() if verdict != "cannot be told"}
        assert told == {"embedding": "does not hold"}


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
