"""What was measured of an attack, a defence or a way to harden, with the papers' figures beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from docs.generator.subjects import DOCS, Subject

from unfool_papers.analysis import Figure
from unfool_papers.defence_tables.part import LEGEND, bars_of, tables_of
from unfool_papers.study.tables import differences, markdown, row_table

_RESULTS = DOCS.parent / "results"
_IN_SMALL = (
    "From the small study, `unfool study {study}`: {base} and few texts. It shows what is measured and is no "
    "evidence about the paper, whose figures stand in brackets all the same; times are those of a machine at other "
    "work, too."
)


class _Measured(NamedTuple):
    """A table of defences that was made."""

    study: str
    scale: str
    name: str
    record: Mapping[str, Any]

    @property
    def drawn(self) -> Figure:
        """The table as bars, under a name no other table has."""
        return bars_of(self.name, self.record)._replace(name=f"defences-{self.scale}-{self.name}")


def figures(subject: Subject) -> str:
    """Return what was measured, and where there is more."""
    parts = _of_attack(subject) if subject.folder == "attacks" else _of_defence(subject)
    return "\n\n".join([*parts, " · ".join(_links(subject))])


def drawings(subject: Subject) -> list[Figure]:
    """Return the pictures on the subject's page."""
    return [] if subject.folder == "attacks" else [found.drawn for found in _measured(subject)]


def _of_attack(subject: Subject) -> Iterator[str]:
    every = json.loads((_RESULTS / "attacks.json").read_text("utf-8"))["rows"]
    rows = [each for each in every if each["attack"].partition(":")[0] == subject.name]
    yield markdown(row_table(rows)) if rows else "Not run on its paper's victims yet."
    if notes := differences(rows):
        yield "What differs from the paper:\n\n" + "\n".join(f"- {note}" for note in notes)


def _of_defence(subject: Subject) -> Iterator[str]:
    found = _measured(subject)
    if not found:
        yield "No study has measured it yet."
    for each in found:
        if each.scale == "smoke":
            yield _IN_SMALL.format(study=each.study, base=f"`{each.record['base']}`")
        yield LEGEND
        yield from map(markdown, tables_of(each.name, each.record))
        yield f"![How much each defence gets right](../images/{each.drawn.name}.svg)\n\n*{each.drawn.caption}*"
        yield from (note for note in each.record["notes"] if note.startswith("What differs"))


def _measured(subject: Subject) -> list[_Measured]:
    """Return the tables with a line of the subject's, in full or, where there is none, in small."""
    for scale, file in (("full", "defences.json"), ("smoke", "defences-smoke.json")):
        path = _RESULTS / file
        kept = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        found = [
            _Measured(study, scale, name, record)
            for study, tables in kept.items()
            for name, record in tables.items()
            if any(_is_about(subject, arm) for arm in record["arms"].values())
        ]
        if found:
            return found
    return []


def _is_about(subject: Subject, arm: Mapping[str, Any]) -> bool:
    if subject.folder == "hardening":
        return bool(arm["method"].partition(":")[0] == subject.name)
    return bool(arm["victim"].startswith((f"{subject.name}[", f"{subject.name}:")))


def _links(subject: Subject) -> Iterator[str]:
    if subject.folder == "attacks":
        yield "[All attacks beside their papers](../../papers/pages/attacks.md)"
    else:
        yield "[How the papers' tables are made](../../papers/pages/defences.md#how-the-tables-are-made)"
    yield "[How to read the numbers](../numbers.md)"
