"""The results as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.attacks.measure import Record


def show(results: Mapping[str, Any]) -> None:
    """Print the rows and the claims as Markdown."""
    print()
    print(
        "| paper | attack | victim | data | attacked of | clean, % | under attack, % | fooled, % "
        "| words, % | characters, % | queries | reported | seconds |"
    )
    print("| --- " * 13 + "|")
    for each in results["rows"]:
        print(_line(each))
    print()
    print("| paper | claim | on | figures, % (or queries) | p | holds |")
    print("| --- " * 6 + "|")
    for each in results["claims"]:
        figures = " > ".join(f"{label} {value:g}" for label, value in each["figures"].items())
        beside = "; ".join(f"{label} {value:g}" for label, value in each["beside"].items())
        chances = ", ".join("–" if p is None else f"{p:g}" for p in each["p"])
        print(
            f"| {each['paper']} | {each['claim']} | {each['on']} | {figures}{f' ({beside})' if beside else ''} "
            f"| {chances} | {'**no**' if each['holds'] == 'no' else each['holds']} |"
        )
    held = sum(each["holds"] == "yes" for each in results["claims"])
    print(f"\n{len(results['rows'])} rows; {held} of {len(results['claims'])} claims hold")


def _line(each: Record) -> str:
    low, high = each["success % interval"]
    sure = f" at {each['confidence']:g}" if each["confidence"] else ""
    reported = "; ".join(map(_beside, each["reported"]))
    cells = (
        each["paper"],
        f"{each['attack']}{sure}",
        each["victim"].removeprefix("zoo:") + ("\\*" if each["stand-in"] else ""),
        each["data"],
        f"{each['attacked']} of {each['n']}",
        _told(each["clean accuracy %"]),
        _told(each["accuracy under attack %"]),
        f"{_told(each['success %'])} [{low:.1f}, {high:.1f}]",
        _told(each["words changed %"]),
        _told(each["characters changed %"]),
        _told(each["queries"]),
        reported,
        f"{each['seconds']:.0f} {each['device']}",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def _beside(said: Mapping[str, Any]) -> str:
    figure = said["figure"].removesuffix(" %")
    return f"{said['sign']}{said['value']:g} {figure} ({said['where']}; ours {_told(said['ours'])})"


def _told(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"
