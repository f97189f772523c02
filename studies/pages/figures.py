"""What was measured of an attack, with the papers' figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterator

from studies.pages.subjects import DOCS, Subject

from unfool.studies._row_table import differences, markdown, row_table

_RESULTS = DOCS.parent / "results" / "attacks.json"


def figures(subject: Subject) -> str:
    """Return the attack's rows of `results/attacks.json`, and where its examples are."""
    every = json.loads(_RESULTS.read_text("utf-8"))["rows"]
    rows = [each for each in every if each["attack"].partition(":")[0] == subject.name]
    parts = [markdown(row_table(rows)) if rows else "Not run on its paper's victims yet."]
    if notes := differences(rows):
        parts.append("What differs from the paper:\n\n" + "\n".join(f"- {note}" for note in notes))
    return "\n\n".join([*parts, " · ".join(_links(subject))])


def _links(subject: Subject) -> Iterator[str]:
    if f"\n## {subject.name}\n" in (DOCS / "examples.md").read_text("utf-8"):
        yield f"[Some of its texts](../examples.md#{subject.name}), drawn by a seed"
    yield "[All attacks beside their papers](../papers.md)"
    yield "[How to read the numbers](../numbers.md)"
