"""What was measured of an attack, with the papers' figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from studies.pages.subjects import DOCS, Subject

_RESULTS = DOCS.parent / "results" / "attacks.json"
_HEADING = "settings | victim | data | attacked | fooled, % | words, % | queries | reported"


def figures(subject: Subject) -> str:
    """Return the attack's rows of `results/attacks.json`, and where its examples are."""
    rows = [each for each in json.loads(_RESULTS.read_text("utf-8"))["rows"] if _name(each) == subject.name]
    parts = []
    if rows:
        line = "| --- " * (_HEADING.count("|") + 1) + "|"
        parts += ["\n".join([f"| {_HEADING} |", line, *map(_row, rows)])]
        if notes := list(dict.fromkeys(each["differs"] for each in rows if each["differs"])):
            parts.append("What differs from the paper: " + "; ".join(notes) + ".")
    else:
        parts.append("Not run on its paper's victims yet.")
    parts.append(" · ".join(_links(subject)))
    return "\n\n".join(parts)


def _links(subject: Subject) -> Iterator[str]:
    if f"\n## {subject.name}\n" in (DOCS / "examples.md").read_text("utf-8"):
        yield f"[Twenty of its texts](../examples.md#{subject.name}), drawn by a seed"
    yield "[All attacks beside their papers](../papers.md)"
    yield "[How to read the numbers](../numbers.md)"


def _name(row: Mapping[str, Any]) -> str:
    return str(row["attack"]).partition(":")[0]


def _row(each: Mapping[str, Any]) -> str:
    low, high = each["success % interval"]
    sure = f" at {each['confidence']:g}" if each["confidence"] else ""
    settings = each["attack"].partition(":")[2]
    cells = (
        (f"`{settings}`" if settings else "defaults") + sure,
        each["victim"].removeprefix("zoo:") + ("\\*" if each["stand-in"] else ""),
        each["data"],
        f"{each['attacked']} of {each['n']}",
        f"{each['success %']:.1f} [{low:.1f}, {high:.1f}]",
        "–" if each["words changed %"] is None else f"{each['words changed %']:.1f}",
        f"{each['queries']:,.1f}",
        "; ".join(map(_beside, each["reported"])) or "–",
    )
    return "| " + " | ".join(cells) + " |"


def _beside(said: Mapping[str, Any]) -> str:
    ours = "–" if said["ours"] is None else f"{said['ours']:.1f}"
    figure = said["figure"].removesuffix(" %")
    return f"{said['sign']}{said['value']:g} {figure}, {said['where']} (ours {ours})"
