"""The tables of docs/guards.md, from results/guards.json and the profiles: ``python -m bench.guards_page``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from unfool.guards import find_profile, profile_names
from unfool.visible import visible_line

ROOT = Path(__file__).parent.parent
PAGE, KEPT = ROOT / "docs" / "guards.md", ROOT / "results" / "guards.json"
HARDENED = ROOT / "results" / "guard-hardened.json"
SHOWN = 20
_PART = re.compile(r"(<!-- made: (?P<name>[a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def main() -> None:
    """Renew the page."""
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")


def renewed(page: str) -> str:
    """Return the page with its made parts as the results have them."""
    audits = json.loads(KEPT.read_text("utf-8"))["audits"]
    return _PART.sub(lambda part: "\n".join([part[1], *_PARTS[part["name"]](audits), "", part[3]]), page)


def _summary(audits: dict[str, Any]) -> Iterable[str]:
    yield from _head("guard", "tried with", "blocks from", "missed", "missed, by any attack", "benign blocked")
    for guard, audit in audits.items():
        own = audit["lines"][0]
        kind = audit["harmful"].removesuffix(".csv")
        sizes = f"{own['union']['of']} {kind}, {own['false_alarms']['of']} sentences"
        rates = (_rate(own[name]) for name in ("misses", "union", "false_alarms"))
        yield _row(f"`{guard}`", sizes, f"{own['threshold']:g}", *rates)


def _attacks(audits: dict[str, Any]) -> Iterable[str]:
    yield from _head(
        "guard",
        "texts changed by",
        "harmful texts missed",
        "of those blocked as they are",
        "benign texts blocked",
        "queries",
        "characters",
    )
    for guard, audit in audits.items():
        own = audit["lines"][0]
        yield _row(f"`{guard}`", "as they are", _rate(own["misses"]), "", _rate(own["false_alarms"]), "", "")
        for each in own["attacks"]:
            past, alarms = each["blocked_that_pass"], each["false_alarms_changed"]
            told = _rate(alarms)
            if alarms and alarms["of"] < own["false_alarms"]["of"]:
                told += f" of {alarms['of']}"
            if alarms and each["words_changed"] is None:
                told += " ¹"
            costs = ("–" if each[key] is None else f"{each[key]:g}" for key in ("queries", "characters"))
            counted = f"{past['count']} of {past['of']}"
            yield _row(f"`{guard}`", each["attack"], _rate(each["misses"]), counted, told, *costs)


def _again(audits: dict[str, Any]) -> Iterable[str]:
    yield from _head("guard", "bypasses asked again", "blocked by the guard; by the rest of its package")
    for guard, audit in audits.items():
        if again := audit.get("asked_again"):
            stopped = again["stopped_by_the_rest_of_the_package"]
            yield _row(f"`{guard}`", str(again["bypasses"]), f"{again['denied']}; {stopped}")


def _transfer(audits: dict[str, Any]) -> Iterable[str]:
    yield from _head("made on", "tried on", "texts asked", "by", "of its blocked texts, get past")
    for guard, audit in audits.items():
        for each in audit["also"]:
            for name, past in [*each["attacks"].items(), ("any of them", each["union"])]:
                told = f"{past['count']} of {past['of']}: {_rate(past)}"
                yield _row(f"`{guard}`", f"`{each['guard']['name']}`", str(each["queries"]), name, told)


def _bypasses(audits: dict[str, Any]) -> Iterable[str]:
    yield from _head("guard", "by", "queries", "characters", "sure to block", "what passes")
    those = {guard: audit["lines"][0]["smallest"] for guard, audit in audits.items() if ":" not in guard}
    ranked = {guard: sorted(found, key=lambda each: each["characters"]) for guard, found in those.items()}
    rounds = [(guard, place) for place in range(SHOWN) for guard in ranked if place < len(ranked[guard])]
    chosen = set(rounds[:SHOWN])
    for guard, found in ranked.items():
        for place, each in enumerate(found):
            if (guard, place) in chosen:
                text = visible_line(each["changed"]).replace("|", "\\|").replace("`", "'").replace("<", "&lt;")
                odds = f"{each['before']:.2f} → {each['after']:.2f}"
                yield _row(f"`{guard}`", each["attack"], str(each["queries"]), str(each["characters"]), odds, text)


def _hardened(_: dict[str, Any]) -> Iterable[str]:
    kept = json.loads(HARDENED.read_text("utf-8"))
    past = f"blocked texts that {kept['attack']} gets past"
    yield from _head("guard", "harmful texts missed", past, "benign blocked")
    for name in ("plain", "hardened"):
        found = kept[name]
        through = found["blocked_that_pass"]
        counted = f"{through['count']} of {through['of']}: {_rate(through)}"
        yield _row(name, _rate(found["misses"]), counted, _rate(found["false_alarms"]))


def _profiles(_: dict[str, Any]) -> Iterable[str]:
    yield from _head("guard", "blocked", "licence", "tried here")
    for name in profile_names():
        guard = find_profile(name)
        tried = "against a stand-in" if "stand-in" in guard.note else "yes"
        tried = "not tried" if "Not tried here" in guard.note else tried
        blocks = f"{guard.blocks} from {guard.threshold:g} on"
        yield _row(f"`{name}`", blocks, guard.licence.replace("|", "\\|"), tried)


_PARTS: dict[str, Callable[[dict[str, Any]], Iterable[str]]] = {
    "summary": _summary,
    "attacks": _attacks,
    "again": _again,
    "transfer": _transfer,
    "bypasses": _bypasses,
    "hardened": _hardened,
    "profiles": _profiles,
}


def _rate(told: dict[str, Any] | None) -> str:
    if told is None or told["value"] is None:
        return "–"
    return f"{told['value']:.0%} ({told['low']:.0%}–{told['high']:.0%})".replace("%", " %")


def _head(*columns: str) -> Iterable[str]:
    yield _row(*columns)
    yield _row(*("---" for _ in columns))


def _row(*cells: str) -> str:
    return " ".join(f"| {cell}".rstrip() for cell in cells) + " |"


if __name__ == "__main__":
    main()
