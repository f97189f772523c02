"""A study as a page: what was claimed and what we found, every table, every figure, what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from unfool.errors import UserError
from unfool_papers.analysis import Figure, write_svg
from unfool_papers.study.bars import Bar, bars
from unfool_papers.study.claim import CANNOT_BE_TOLD, DOES_NOT_HOLD, HOLDS
from unfool_papers.study.plan import Plan, Scale, Section, Study
from unfool_papers.study.record import Record
from unfool_papers.study.tables import ROW_LEGEND, differences, figures_of, markdown, row_table
from unfool_papers.study.undone import undone

NOT_DONE = "## Not done"
_FEW_MARKS = 1000
"""Of figures with more of them, results would hold little else."""


class Found(NamedTuple):
    """All that a study came to."""

    study: Study
    scale: Scale
    plan: Plan
    records: Sequence[Record]
    claims: Sequence[Mapping[str, Any]]
    """Of the rows; the parts have their own."""
    sections: Mapping[str, Section]
    problems: Mapping[str, str]
    """By row or part, what went wrong."""

    @property
    def all_claims(self) -> list[Mapping[str, Any]]:
        """Those of the rows, then those of the parts."""
        return [*self.claims, *(claim for section in self.sections.values() for claim in section.claims)]

    @property
    def verdicts(self) -> dict[str, int]:
        """How many claims hold, do not, and cannot be told."""
        found = Counter(claim["verdict"] for claim in self.all_claims)
        return {verdict: found[verdict] for verdict in (HOLDS, DOES_NOT_HOLD, CANNOT_BE_TOLD)}

    def results(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return {
            "study": self.study.name,
            "scale": self.scale,
            "paper": self.study.paper,
            "rows": list(self.records),
            "claims": list(self.all_claims),
            "parts": {
                title: {"notes": list(section.notes), **section.values} for title, section in self.sections.items()
            },
            "figures": {
                figure.name: list(figure.rows)
                for section in self.sections.values()
                for figure in section.figures
                if len(figure.rows) <= _FEW_MARKS
            },
            "shown": {title: _shown(section) for title, section in self.sections.items()},
            "problems": dict(self.problems),
        }


def _shown(section: Section) -> list[str]:
    """Return the tables and captions of a section as the page has them: what is told there is kept here."""
    return [*map(markdown, section.tables), *(f"{each.title}\n\n{each.caption}" for each in section.figures)]


def sentence(claim: Mapping[str, Any]) -> str:
    """Return one plain sentence: what is claimed, whether it holds, and the figures."""
    chances = ", ".join("–" if p is None else f"{p:g}" for p in claim["p"])
    told = f"; p = {chances}" if any(p is not None for p in claim["p"]) else ""
    figures = f": {found}" if (found := figures_of(claim)) else ""
    return f"**{claim['verdict']}**: {claim['claim']} ({claim['on']}){figures}{told}."


def write_page(found: Found, out: Path) -> Path:
    """Write ``study.md`` and the figures it shows."""
    page = out / "study.md"
    page.write_text("\n\n".join(_page(found, out)) + "\n", encoding="utf-8")
    return page


def _page(found: Found, out: Path) -> Iterator[str]:
    study, sections = found.study, found.sections
    yield f"# {study.title}"
    yield study.about
    yield (
        f"Written by `unfool study {study.name} --scale {found.scale}`. In the study's folder lie rows, claims, "
        "tables and figures as numbers (`results.json`) and the runs that it did itself."
    )
    if found.plan.differs:
        yield f"**A small one.** {found.plan.differs} What is said below is about these victims, not the paper's."
    yield "## What the paper claims"
    yield (
        "A claim is that figures fall, from left to right. It *holds* where every step is beyond chance (McNemar's "
        "test over the texts both attacked gives p < 0.05, or else the 95 % interval of the difference lies above "
        "zero), *does not hold* where a step goes the other way beyond chance, and *cannot be told* otherwise. "
        "Of figures said to be about equal it *holds* where the 95 % interval of their difference lies within the "
        "margin named, and *does not hold* where it lies wholly outside. Figures are in percent where nothing else "
        "is said."
    )
    yield "\n".join(f"- {sentence(claim)}" for claim in found.all_claims) or "Nothing could be measured."
    if found.records:
        yield "## Attacks"
        yield attack_table(found.records)
        if notes := differences(found.records):
            yield "What differs:\n\n" + "\n".join(f"- {note}" for note in notes)
        if stand_ins := {each["victim"]: each["stand-in"] for each in found.records if each["stand-in"]}:
            yield "\n".join(f"- {victim} is a stand-in: {said}" for victim, said in stand_ins.items())
        yield from _drawn([attack_bars(found.records), *found.plan.figures(found.records)], out)
    for title, section in sections.items():
        if section.tables or section.figures or section.notes:
            yield f"## {title}"
        yield from (markdown(table) for table in section.tables)
        yield from _drawn(section.figures, out)
        if section.notes:
            yield "\n".join(f"- {note}" for note in section.notes)
    if told := not_done(found.plan, found.results()):
        yield told


def not_done(plan: Plan, results: Mapping[str, Any]) -> str:
    """Return the section about what a plan declares and its results do not hold; empty where all is there."""
    missing = undone(plan, results)
    return f"{NOT_DONE}\n\n" + "\n".join(f"- {what}: {why}" for what, why in missing.items()) if missing else ""


def _drawn(figures: Iterable[Figure], out: Path) -> Iterator[str]:
    folder = out / "figures"
    for figure in figures:
        folder.mkdir(exist_ok=True)
        try:
            file = write_svg(figure, folder)
        except UserError as missing:
            yield f"*{figure.title}: {missing}*"
        else:
            yield f"![{figure.title}](figures/{file.name})\n\n*{figure.caption}*"


def attack_table(records: Sequence[Record]) -> str:
    """Return every row with what the columns mean."""
    return f"{ROW_LEGEND}.\n\n{markdown(row_table(records))}"


def attack_bars(records: Sequence[Record]) -> Figure:
    """Draw every row's success with its interval, the paper's figure as a mark beside it."""
    shares = [_bar(each) for each in records]
    once = " Of repeated trials it is what one does in the mean." if any(map(_trials, records)) else ""
    return bars(
        "attacks",
        "How often each attack fools each victim",
        f"A bar is the share of attacked texts that fool.{once}",
        shares,
        "fooled, %",
    )


def _bar(record: Record) -> Bar:
    figure = _trials(record) or "success %"
    ours = record[figure]
    low, high = record.get(f"{figure} interval", (ours, ours))
    said = next((each["value"] for each in record["reported"] if each["figure"] == figure), None)
    sure = f" at {record['confidence']:g}" if record["confidence"] else ""
    return Bar(record["victim"].removeprefix("zoo:"), record["attack"] + sure, ours, low, high, said)


def _trials(record: Record) -> str:
    """Return the figure by which repeated trials are told; any of 500 succeeds far more often than one does."""
    figure = "mean success over trials %"
    return figure if figure in record else ""
