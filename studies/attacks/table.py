"""The results as a person reads them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from studies.attacks.measure import Record

_PAPERS = {
    1: "Hsieh et al., 2019: one word",
    2: "Yuan et al., 2021: synonyms",
    3: "The CS229 report: Naive Bayes words and gradients",
    4: "FireBERT: TextFooler",
    5: "Ebrahimi et al., 2018: HotFlip",
}
_INTRODUCTION = """# The papers' attacks on the papers' victims

Written by `python -m studies.attacks` from `results/attacks.json`. Each row is one run on texts drawn with one
seed. *Fooled* is the share of the texts that the victim had right before, with its 95 % Wilson interval; *left* is
the accuracy under attack. Words and characters are those changed in the successes, queries the mean over all
attacked. *Reported* is the paper's figure, with ours of the same kind behind it. A star marks a victim for which
something stands in ([the zoo](zoo.md)).

A claim holds where the figures fall from left to right, and is level where two are the same. *p* tells how likely
two neighbours would differ as much by chance (McNemar's test over the texts that both attacked)."""


def markdown(results: Mapping[str, Any]) -> str:
    """Return the page: for each paper its rows, what differs from it, and its claims."""
    return "\n\n".join([_INTRODUCTION, *_sections(results)]) + "\n"


def _sections(results: Mapping[str, Any]) -> Iterator[str]:
    for paper, title in _PAPERS.items():
        rows = [each for each in results["rows"] if each["paper"] == paper]
        claims = [each for each in results["claims"] if each["paper"] == paper]
        if rows:
            yield f"## {title}"
            yield _table(
                "attack | victim | data | attacked of | clean, % | left, % | fooled, % | words, % | characters, % "
                "| queries | reported | seconds",
                map(_row, rows),
            )
            if differences := _differences(rows):
                yield "What differs:\n\n" + "\n".join(differences)
        if claims:
            yield _table("claim | on | figures | p | holds", map(_claim, claims))
    held = sum(each["holds"] == "yes" for each in results["claims"])
    yield f"{len(results['rows'])} rows; {held} of {len(results['claims'])} claims hold."


def _differences(rows: list[Record]) -> list[str]:
    notes: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for each in rows:
        if each["differs"]:
            notes[each["differs"]][f"`{each['attack']}`"] = None
    return [f"- {', '.join(attacks)}: {note}" for note, attacks in notes.items()]


def _table(heading: str, lines: Iterator[str]) -> str:
    return "\n".join([f"| {heading} |", "| --- " * (heading.count("|") + 1) + "|", *lines])


def _row(each: Record) -> str:
    low, high = each["success % interval"]
    sure = f" at {each['confidence']:g}" if each["confidence"] else ""
    cells = (
        f"`{each['attack']}`{sure}",
        each["victim"].removeprefix("zoo:") + ("\\*" if each["stand-in"] else ""),
        each["data"],
        f"{each['attacked']} of {each['n']}",
        _told(each["clean accuracy %"]),
        _told(each["accuracy under attack %"]),
        f"{_told(each['success %'])} [{low:.1f}, {high:.1f}]",
        _told(each["words changed %"]),
        _told(each["characters changed %"]),
        _told(each["queries"]),
        "; ".join(map(_beside, each["reported"])),
        f"{each['seconds']:.0f}, {each['device']}",
    )
    return "| " + " | ".join(cells) + " |"


def _claim(each: Mapping[str, Any]) -> str:
    figures = ", ".join(f"{label}: {value:g}" for label, value in each["figures"].items())
    beside = "; ".join(f"{label}: {value:g}" for label, value in each["beside"].items())
    chances = ", ".join("–" if p is None else f"{p:g}" for p in each["p"])
    holds = "**no**" if each["holds"] == "no" else each["holds"]
    return f"| {each['claim']} | {each['on']} | {figures}{f' ({beside})' if beside else ''} | {chances} | {holds} |"


def _beside(said: Mapping[str, Any]) -> str:
    figure = said["figure"].removesuffix(" %")
    return f"{said['sign']}{said['value']:g} {figure}, {said['where']} (ours {_told(said['ours'])})"


def _told(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"
