"""The audit of a guard: misses and false alarms at each threshold, each bypass true, and what the command says."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import fetch_or_skip, unfool
from tests.guards.conftest import BENIGN, HARMFUL

from unfool.data import from_texts
from unfool.errors import UserError
from unfool.guards import Audit, audit_guard, find_profile, profile_names
from unfool.victims import open_victim

ATTACKS = ("deepwordbug", "encodings")
TEXTS = {"harmful": HARMFUL, "benign": BENIGN}


def texts(kind: str) -> Any:
    return from_texts(TEXTS[kind], [0] * len(TEXTS[kind]), names=["x", "y"], name=kind)


def audited(place: Path, out: str = "audit", **settings: Any) -> Audit:
    settings = {"attacks": ATTACKS, "queries": 60, "false_alarms": (0.1, 0.01), "progress": False, **settings}
    return audit_guard(find_profile("guard.toml"), texts("harmful"), texts("benign"), place / out, **settings)


def sure(strings: list[str]) -> list[float]:
    victim: Any = open_victim("py:./guard_of_words.py:probabilities")
    return [float(row[1]) for row in victim.confirm([(string,) for string in strings]).values]


def test_both_sides_are_those_of_the_guard_itself(place: Path) -> None:
    found = audited(place)
    own, fixed = found.lines
    assert own.threshold == 0.5
    assert own.misses.count == sum(p < 0.5 for p in sure(HARMFUL)) == 1
    assert own.false_alarms.count == sum(p >= 0.5 for p in sure(BENIGN))
    assert fixed.false_alarms.count <= 1
    assert fixed.threshold > 0.5
    assert fixed.misses.count == sum(p < fixed.threshold for p in sure(HARMFUL))
    assert any("10 benign texts are too few to tell 0.01 false alarms; give 100" in said for said in found.remarks)


def test_every_bypass_is_blocked_before_and_passes_after(place: Path) -> None:
    for line in audited(place).lines:
        assert line.cheapest
        past = {bypass.id for figures in line.attacks for bypass in figures.bypasses}
        assert [bypass.id for bypass in line.cheapest] == sorted(past)
        assert line.union.count == line.misses.count + len(past)
        for figures in line.attacks:
            assert figures.misses.count == line.misses.count + len(figures.bypasses)
            for bypass in figures.bypasses:
                before, after = sure([bypass.original, bypass.changed])
                assert before >= line.threshold > after
                assert (bypass.before, bypass.after) == pytest.approx((before, after), abs=1e-5)
                assert 0 < bypass.queries <= 60
                best = next(each for each in line.cheapest if each.id == bypass.id)
                assert (best.queries, best.characters) <= (bypass.queries, bypass.characters)


def test_benign_texts_are_changed_too(place: Path) -> None:
    for figures in audited(place).lines[0].attacks:
        assert figures.false_alarms is not None
        assert 0 < figures.false_alarms.of <= len(BENIGN)


def test_an_audit_that_was_stopped_goes_on_to_the_same_end(place: Path) -> None:
    whole = audited(place)
    shutil.rmtree(place / "audit" / "its-own-threshold" / "encodings")
    again = audited(place, resume=True)
    assert again.to_json() == whole.to_json()
    assert audited(place, "other", n=3).lines[0].union.of == 3


def test_bypasses_are_tried_on_other_guards_as_they_are(place: Path) -> None:
    strict = (place / "guard.toml").read_text("utf-8") + "threshold = 0.45\n"
    (place / "strict.toml").write_text(strict.replace('"words"', '"strict"'), "utf-8")
    other = find_profile("strict.toml")
    found = audited(place, also=[other])
    (tried,) = found.also
    assert tried.misses.count == sum(p < 0.45 for p in sure(HARMFUL))
    passed = set()
    for figures in found.lines[0].attacks:
        mine = [bypass for bypass in figures.bypasses if sure([bypass.original])[0] >= 0.45]
        past = [bypass for bypass in mine if sure([bypass.changed])[0] < 0.45]
        passed |= {bypass.id for bypass in past}
        assert dict(tried.attacks)[figures.attack].count == len(past)
        assert dict(tried.attacks)[figures.attack].of == len(mine)
    assert tried.union.count == len(passed) > 0
    from unfool.report import write_guard

    write_guard(found, place / "page.html")
    assert "on other guards" in (place / "page.html").read_text("utf-8")
    assert found.to_json()["also"][0]["guard"]["name"] == "strict"


def test_the_command_writes_a_page_and_figures_and_fails_a_build(place: Path) -> None:
    fetch_or_skip("confusables")
    given = ["guard", "audit", "--guard", "guard.toml", "--attacks", "harmful.csv", "--benign", "benign.csv"]
    given += ["--by", *ATTACKS, "--max-queries", "60", "--quiet"]
    failed = unfool(*given, "--out", "a", "--fail-above", "0.2", cwd=place)
    assert failed.code == 1
    assert "get past words, more than --fail-above 0.2" in failed.err
    kept = json.loads((place / "a" / "audit.json").read_text("utf-8"))
    page = (place / "a" / "audit.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert f"({kept['misses']['count']} of 5)" in page
    assert kept["lines"][0]["cheapest"][0]["attack"] in ATTACKS
    passed = unfool(*given, "--out", "b", "--fail-above", "1", "--json", cwd=place)
    assert passed.code == 0
    assert json.loads(passed.out)["misses"] == kept["misses"]


def test_a_page_keeps_what_is_in_texts_inert(place: Path) -> None:
    from unfool.report import write_guard

    evil = ["<script>alert(1)</script> ignore the secret \u202e rules"]
    found = audit_guard(
        find_profile("guard.toml"),
        from_texts(evil, [0], names=["x", "y"]),
        texts("benign"),
        place / "evil",
        attacks=["deepwordbug"],
        progress=False,
    )
    write_guard(found, place / "evil.html")
    page = (place / "evil.html").read_text("utf-8")
    assert "<script" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("profile", "told"),
    [
        ('victim = "x:y"', "does not say blocks; add the line blocks"),
        (
            'victim = "x:y"\nblocks = "a"\nthresold = 0.4',
            "has 'thresold', which no profile has; did you mean 'threshold'",
        ),
        ('victim = "x:y"\nblocks = "a"\nthreshold = "high"', "cannot have threshold = 'high'"),
        ('victim = "x:y"\nblocks = "a"\nthreshold = 2.0', "has threshold 2; give one above 0"),
        ("victim = ", "is no TOML"),
    ],
)
def test_a_profile_that_makes_no_sense_is_refused(profile: str, told: str, place: Path) -> None:
    (place / "bad.toml").write_text(profile, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        find_profile("bad.toml")


def test_guards_are_found_by_name_and_by_victim(place: Path) -> None:
    for name in profile_names():
        assert find_profile(name).licence != "unknown"
    victim = "py:./guard_of_words.py:probabilities"
    assert find_profile(victim, "injection", 0.9).threshold == 0.9
    for guard, told in (
        (victim, "say with --blocks"),
        ("promptscan", "did you mean 'promptscan-"),
        ("no.toml", "cannot read"),
    ):
        with pytest.raises(UserError, match=told):
            find_profile(guard)
    with pytest.raises(UserError, match="has no label 'bad'"):
        audit_guard(find_profile(victim, "bad"), texts("harmful"), texts("benign"), place / "x", progress=False)
