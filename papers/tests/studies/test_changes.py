"""How much smaller or larger a figure is than another arm's, and what a paper's figure is judged to be."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.end_to_end.command import fetch_or_skip

import unfool
from unfool.stats import Z95, wilson
from unfool_papers.defence_tables.changes import changes_of, standard_errors
from unfool_papers.defence_tables.records import asked_anew, claims_of
from unfool_papers.defence_tables.table import PREMADE, Arm, Change, DefenceTable, Texts, left_anew, queries, words
from unfool_papers.study.claim import judged

LEFT = left_anew("pwws")


def table(*changes: Change) -> DefenceTable:
    arms = (Arm("bare"), Arm("FACT", method="fact"))
    return DefenceTable(4, "t", "zoo:NB@x", "T", Texts("x"), None, "pwws", arms, (), changes=changes)


def rate(count: int, of: int) -> dict[str, Any]:
    low, high = wilson(count, of)
    return {"count": count, "of": of, "value": count / of, "low": low, "high": high}


def arms(figure: str, bare: dict[str, Any], fact: dict[str, Any]) -> dict[str, Any]:
    return {"bare": {"rates": {figure: bare}}, "FACT": {"rates": {figure: fact}}}


def verdict(change: Change, found: dict[str, Any]) -> dict[str, Any]:
    ((claim, chances),) = claims_of(table(change), found, lambda one, other, figure: None)
    told = judged(claim, {}, chances)
    assert told is not None
    return told


def test_the_papers_own_counts_give_the_papers_reduction() -> None:
    """MNLI: .029 right before FACT, .800 after, of 7,574."""
    change = Change(PREMADE, "FACT", -79, "bare")
    found = arms(PREMADE, rate(220, 7574), rate(6059, 7574))
    (made,) = changes_of(table(change), found)
    assert made["value"] == pytest.approx(-79.4, abs=0.05)
    assert made["low"] < -79.4 < made["high"] < -78
    assert verdict(change, found)["figures"] == {"fewer, %": 79.4, "the paper's": 79}


@pytest.mark.parametrize(
    ("right", "said"), [(90, "holds"), (80, "cannot be told"), (60, "does not hold"), (0, "does not hold")]
)
def test_a_reduction_holds_where_its_interval_lies_above_the_papers(right: int, said: str) -> None:
    change = Change(PREMADE, "FACT", -79, "bare")
    assert verdict(change, arms(PREMADE, rate(0, 100), rate(right, 100)))["verdict"] == said


def test_nothing_is_claimed_of_what_was_not_measured() -> None:
    assert changes_of(table(Change(PREMADE, "FACT", -79, "bare")), {"bare": {"rates": {}}}) == []
    assert changes_of(table(Change(words("pwws"), "FACT", 30, "bare")), {"bare": {"under attack": {}}}) == []


@given(st.integers(0, 200), st.integers(0, 200))
def test_a_change_lies_in_its_interval(before: int, after: int) -> None:
    change = Change(PREMADE, "FACT", -50, "bare")
    (made,) = changes_of(table(change), arms(PREMADE, rate(before, 200), rate(after, 200)))
    assert made["low"] <= made["value"] <= made["high"]
    assert math.isfinite(made["high"])


def test_where_only_bounds_are_known_the_interval_spans_both() -> None:
    under, before = {"of": 500}, {"count": 305}
    bounds = asked_anew(under, before, None, 0.2468)
    change = Change(LEFT, "FACT", -48, "bare")
    found = arms(LEFT, rate(70, 500), bounds)
    (made,) = changes_of(table(change), found)
    (best,), (worst,) = (
        changes_of(table(change), arms(LEFT, rate(70, 500), asked_anew(under, before, share, 0.0)))
        for share in (bounds["value"], bounds["least"])
    )
    assert (made["low"], made["high"]) == (best["low"], worst["high"])
    assert made["bound"]
    told = verdict(change, found)
    assert told["figures"] == {"fewer, %, at most": 12.4, "the paper's": 48}
    assert told["verdict"] == "does not hold"


def test_means_without_an_interval_tell_nothing() -> None:
    """What was kept of MNLI: 22.3 % of the words of FACT changed, 18.1 % of the base's."""
    change = Change(words("pwws"), "FACT", 30, "bare")
    found: dict[str, Any] = {
        name: {"under attack": {"pwws": {"words_changed": share}}}
        for name, share in (("bare", 18.1), ("FACT", 40.0))
    }
    assert verdict(change, found)["verdict"] == "cannot be told"
    for arm in found.values():
        arm["under attack"]["pwws"]["standard errors"] = {"words_changed": 0.4}
    assert verdict(change, found)["verdict"] == "holds"
    (made,) = changes_of(table(change), found)
    reach = math.exp(Z95 * math.hypot(0.4 / 18.1, 0.4 / 40))
    assert made["low"] == pytest.approx(100 * (40 / 18.1 / reach - 1))
    other = Change(queries("pwws"), "FACT", 30, "bare")
    assert changes_of(table(other), found) == []


def test_how_sure_means_are_is_told_by_the_texts_of_the_run(tmp_path: Path) -> None:
    fetch_or_skip("wordnet")
    films = ["a bad and awful film", "a good film", "the worst plot of all", "a great cast and a fine plot"]
    data = tmp_path / "films.csv"
    data.write_text("\n".join(["text,label", *(f"{film},{n % 2}" for n, film in enumerate(films)), ""]))
    run = unfool.attack(
        "py:unfool.victims.vader:probabilities",
        str(data),
        "pwws",
        out=tmp_path / "runs" / "victim-1-pwws",
        progress=False,
    )
    asked = [each.queries for each in run.outcomes() if each.status != "skipped"]
    assert np.mean(asked) == run.summary.queries_mean
    expected = np.std(asked, ddof=1) / len(asked) ** 0.5
    assert standard_errors(tmp_path)["pwws"]["queries_mean"] == pytest.approx(expected)
    assert standard_errors(tmp_path / "nowhere") == {}
