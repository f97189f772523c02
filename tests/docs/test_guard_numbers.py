"""The table on the page of guards is that of the kept audits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def rate(told: dict[str, Any] | None) -> str:
    return "–" if told is None else f"{told['value']:.0%} ({told['low']:.0%}–{told['high']:.0%})".replace("%", " %")


def test_every_row_follows_from_the_kept_audits() -> None:
    page = (ROOT / "docs" / "guards.md").read_text("utf-8")
    audits = json.loads((ROOT / "results" / "guards.json").read_text("utf-8"))["audits"]
    assert len(audits) == 3
    for guard, audit in audits.items():
        own = audit["lines"][0]
        rows = [("as they are", own["misses"], own["false_alarms"], "", "")]
        for each in own["attacks"]:
            cost = ["–" if each[key] is None else f"{each[key]:g}" for key in ("queries", "characters")]
            rows.append((each["attack"], each["misses"], each["false_alarms_changed"], *cost))
        for name, misses, alarms, *cost in rows:
            told = [f"`{guard}`", name, rate(misses), rate(alarms), *cost]
            row = " ".join(f"| {cell}".rstrip() for cell in told) + " |"
            assert row in page, row
        asked_again = audit.get("asked_again", {"denied": 0})
        assert asked_again["denied"] == 0
