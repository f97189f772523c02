"""The tables on the page of guards are those of the kept audits, and every profile is told of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from unfool.guards import find_profile, profile_names
from unfool.visible import visible_line

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "guards.md").read_text("utf-8")
AUDITS: dict[str, Any] = json.loads((ROOT / "results" / "guards.json").read_text("utf-8"))["audits"]
SHOWN = 20
"""Bypasses on the page."""


def rate(told: dict[str, Any] | None) -> str:
    return "–" if told is None else f"{told['value']:.0%} ({told['low']:.0%}–{told['high']:.0%})".replace("%", " %")


def row(*cells: str) -> str:
    return " ".join(f"| {cell}".rstrip() for cell in cells) + " |"


def summary_row(guard: str) -> str:
    own, texts = AUDITS[guard]["lines"][0], AUDITS[guard]["harmful"].removesuffix(".csv")
    kind = "jailbreaks" if texts == "harmful" else texts
    sizes = f"{own['union']['of']} {kind}, {own['false_alarms']['of']} sentences"
    cells = (rate(own["misses"]), rate(own["union"]), rate(own["false_alarms"]))
    return row(f"`{guard}`", sizes, f"{own['threshold']:g}", *cells)


def bypass_row(guard: str, bypass: dict[str, Any]) -> str:
    text = visible_line(bypass["changed"]).replace("|", "\\|").replace("`", "'").replace("<", "&lt;")
    odds = f"{bypass['before']:.2f} → {bypass['after']:.2f}"
    return row(f"`{guard}`", bypass["attack"], str(bypass["queries"]), str(bypass["characters"]), odds, text)


def test_every_row_follows_from_the_kept_audits() -> None:
    assert len(AUDITS) == 6
    for guard, audit in AUDITS.items():
        own = audit["lines"][0]
        rows = [("as they are", own["misses"], own["false_alarms"], "", "")]
        for each in own["attacks"]:
            cost = ["–" if each[key] is None else f"{each[key]:g}" for key in ("queries", "characters")]
            rows.append((each["attack"], each["misses"], each["false_alarms_changed"], *cost))
        for name, misses, alarms, *cost in rows:
            told = row(f"`{guard}`", name, rate(misses), rate(alarms), *cost)
            assert told in PAGE, told
        if ":" not in guard:
            assert summary_row(guard) in PAGE, summary_row(guard)


def test_no_guards_own_package_denies_a_bypass() -> None:
    for guard, audit in AUDITS.items():
        if ":" not in guard:
            assert audit["asked_again"]["denied"] == 0
            assert audit["asked_again"]["bypasses"] > 0


def test_twenty_bypasses_are_shown_as_they_were_kept() -> None:
    kept = {
        bypass_row(guard, bypass)
        for guard, audit in AUDITS.items()
        for bypass in audit["lines"][0]["cheapest"]
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
