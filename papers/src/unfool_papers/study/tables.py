"""Rows and claims as tables that a person reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from unfool_papers.study.plan import Table
from unfool_papers.study.record import Record

ROW_COLUMNS = (
    "attack", "victim", "clean, %", "left, %", "fooled, %", "reported", "words, %", "characters, %", "queries",
    "data", "attacked of", "seconds",
)  # fmt: skip
"""The paper's figure stands right behind ours, where a page of common width still shows both."""
ROW_LEGEND = """\
*Fooled* is the share of the texts that the victim had right before, with its 95 % Wilson interval; *left* is
the accuracy under attack. *Reported* is what the paper has for *fooled*, or for the column it names; *a trial* is
the mean over repeated ones, with ours beside it. Words and characters are those changed in the successes, queries
the mean over all attacked. *bf16*: searched in half precision, every success checked in full. A star marks a victim
for which something stands in"""
_SHORT = {
    "success %": "",
    "accuracy under attack %": " left",
    "words changed %": " words",
    "characters changed %": " characters",
}
"""The columns that figures stand in; ours of any other kind is told beside the paper's."""


def row_table(records: Iterable[Record]) -> Table:
    """Return the table of some rows."""
    return Table("", ROW_COLUMNS, [_row(each) for each in records])


class Part(NamedTuple):
    """A data set of which less is at hand than was published."""

    texts: int
    """In the training set at hand; a tenth of them is held out."""
    published: int

    @property
    def told(self) -> str:
        """How much of the whole it is."""
        return f"{self.texts:,} of {self.published:,} training texts (1/{self.published / self.texts:.0f})"


PARTS = {
    "yelp_polarity": Part(7_002, 560_000),
    "mnli": Part(29_340, 392_702),
    "ag_news": Part(43_052, 120_000),
    "snli": Part(99_890, 550_152),
}
"""What stands in for whole data sets in every published figure."""


def differences(records: Iterable[Record]) -> list[str]:
    """Return what differs from the paper, once for all rows it is true of, and how little data nets have learnt."""
    notes: defaultdict[str, dict[str, None]] = defaultdict(dict)
    learnt: dict[str, None] = {}
    for each in records:
        if each["differs"]:
            notes[each["differs"]][f"`{each['attack']}`"] = None
        learnt[each["victim"].rpartition("@")[2].partition("#")[0]] = None
    said = [f"{', '.join(attacks)}: {note}" for note, attacks in notes.items()]
    return said + [f"every victim @{data} has learnt from {PARTS[data].told}" for data in learnt if data in PARTS]


def markdown(table: Table) -> str:
    """Return a table as Markdown."""
    lines = [f"| {' | '.join(table.columns)} |", "| --- " * len(table.columns) + "|"]
    lines += [f"| {' | '.join(cells)} |" for cells in table.rows]
    return "\n".join([*([f"**{table.title}**", ""] if table.title else []), *lines])


def figures_of(judged: Mapping[str, Any]) -> str:
    """Return the figures of a judged claim, in a row."""
    figures = ", ".join(f"{label}: {value:g}" for label, value in judged["figures"].items())
    beside = "; ".join(f"{label}: {value:g}" for label, value in judged["beside"].items())
    apart = ", ".join(f"[{low:+.1f}, {high:+.1f}]".replace("-", "−") for low, high in judged.get("apart", ()))
    margin = f"; difference {apart}, margin {judged['within']:g}" if apart else ""
    return figures + (f" ({beside})" if beside else "") + margin


def told(value: float | None) -> str:
    """Write a figure; a dash where there is none."""
    return "–" if value is None else f"{value:,.1f}"


def _row(each: Record) -> Sequence[str]:
    low, high = each["success % interval"]
    sure = f" at {each['confidence']:g}" if each["confidence"] else ""
    return (
        f"`{each['attack']}`{sure}",
        each["victim"].removeprefix("zoo:") + ("\\*" if each["stand-in"] else ""),
        told(each["clean accuracy %"]),
        told(each["accuracy under attack %"]),
        f"{told(each['success %'])} [{low:.1f}, {high:.1f}]",
        "; ".join(map(_reported, each["reported"])),
        told(each["words changed %"]),
        told(each["characters changed %"]),
        told(each["queries"]),
        each["data"],
        f"{each['attacked']} of {each['n']}",
        f"{each['seconds']:.0f}, {each['device']}",
    )


def _reported(said: Mapping[str, Any]) -> str:
    figure = said["figure"]
    kind = _SHORT.get(figure)
    if kind is None:
        name = "a trial" if figure == "mean success over trials %" else figure.removesuffix(" %")
        kind = f" {name}, ours {told(said['ours'])}"
    return f"{said['sign']}{said['value']:g}{kind} ({said['where']})"
