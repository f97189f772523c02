"""A table of defences as a person reads it, and as a part of a study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from unfool_papers.analysis import Figure
from unfool_papers.defence_tables.changes import spelt_out
from unfool_papers.defence_tables.pieces import defended
from unfool_papers.defence_tables.table import (
    CLEAN,
    ERROR,
    PREMADE,
    DefenceTable,
    before,
    f1,
    fooled,
    left,
    left_anew,
)
from unfool_papers.study.bars import Bar, bars
from unfool_papers.study.plan import Part, Section, Table, Work
from unfool_papers.study.tables import told

FOLDER = "defences"
"""Where a study keeps its tables' pieces, inside its own folder."""
LEGEND = (
    "In parentheses stand the 95 % interval and the number of texts, in brackets the paper's figure; p is "
    "McNemar's, over the same texts, against the first line. *Left, same noise* is by the answers that the attack "
    "saw where noise is a function of the text; *left, asked anew* by fresh answers to the texts it ended with, as "
    "the papers judge, texts that were wrong from the start counted as wrong. *At most*: what was kept does not "
    "part these from the others, so the figure counts some of them as right. *Change*: its interval "
    "is that of a ratio by the delta method, as if two defences had been tried on different texts; what the paper "
    "says *holds* if it is at least as large."
)


def defences_part(title: str, tables: tuple[DefenceTable, ...]) -> Part:
    """Return the part that makes some tables, all of their pieces side by side."""
    return Part(title, partial(_made, tables))


def _made(tables: Sequence[DefenceTable], work: Work) -> Section:
    found = defended(
        tables,
        work.out / FOLDER,
        device=work.device,
        workers=work.workers,
        say=work.say,
        ends=work.ends,
        progress=work.progress,
    )
    records = found.records
    return Section(
        tables=[table for name, each in records.items() for table in tables_of(name, each)],
        claims=[claim for each in records.values() for claim in each["claims"]],
        figures=[*(bars_of(name, each) for name, each in records.items() if each["arms"]), *found.figures],
        notes=[LEGEND, *dict.fromkeys(note for each in records.values() for note in each["notes"])],
        values=records,
        problems=found.problems,
    )


def tables_of(name: str, record: Mapping[str, Any]) -> Iterator[Table]:
    """Yield what is written of a table: texts as they are and stored ones, then each attack."""
    arms = record["arms"]
    judged = {arm: each for arm, each in arms.items() if CLEAN in each["rates"]}
    if judged:
        stored = (
            ", and stored ones that fooled it" if any(PREMADE in each["rates"] for each in judged.values()) else ""
        )
        title = f"{record['base']}, {name}: texts as they are{stored} ({record['where']})"
        yield Table(title, *_judged(judged))
    attacks = dict.fromkeys(attack for each in arms.values() for attack in each.get("under attack", ()))
    for attack in attacks:
        under = {arm: each for arm, each in arms.items() if attack in each.get("under attack", ())}
        title = f"{record['base']}, {name}: under attack by {attack} ({record['where']})"
        yield Table(title, *_attacked(under, attack))
    if changes := record.get("changes"):
        yield Table(f"{record['base']}, {name}: beside another defence ({record['where']})", *_changes(changes))


def _judged(arms: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    # A paper tells of accuracy or of error; F1 and p are the same of both.
    told_of_error = any(ERROR in each["said"] for each in arms.values())
    shown = {CLEAN: ERROR if told_of_error else CLEAN}
    if any(PREMADE in each["rates"] for each in arms.values()):
        shown[PREMADE] = PREMADE
    columns = ["defence"]
    for of, figure in shown.items():
        columns += [f"{figure}, % [paper]", f"{f1(of)}, % [paper]", f"p, {of}"]
    rows = []
    for arm, each in arms.items():
        cells = [arm]
        for of, figure in shown.items():
            value = each["f1"].get(f1(of))
            f1_told = told(None if value is None else 100 * value) + _beside(each["said"].get(f1(of)))
            cells += [_cell(each, figure), f1_told, _p(each, of)]
        rows.append([*cells, told(each["passes"]), f"{each['ms a query']:.3g}"])
    return [*columns, "passes", "ms a query"], rows


def _attacked(arms: Mapping[str, Any], attack: str) -> tuple[list[str], list[list[str]]]:
    shares = {
        "before": before(attack),
        "left, asked anew": left_anew(attack),
        "left, same noise": left(attack),
        "fooled, same noise": fooled(attack),
    }
    columns = ["defence", *(f"{name}, % [paper]" for name in shares)]
    columns += ["words, %", "characters, %", "queries", "p, left, same noise"]
    rows = []
    for arm, each in arms.items():
        under = each["under attack"][attack]
        rows.append(
            [
                arm,
                *(_cell(each, figure) for figure in shares.values()),
                *(told(under[key]) for key in ("words_changed", "characters_changed", "queries_mean")),
                _p(each, left(attack)),
            ]
        )
    return columns, rows


def _changes(changes: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    rows = []
    for each in changes:
        bound = "at best " if each["bound"] else ""
        known = "no interval kept" if each["low"] is None else f"{each['low']:+.0f} to {each['high']:+.0f}"
        rows.append(
            [
                each["arm"],
                each["than"],
                spelt_out(each["figure"]),
                f"{bound}{each['value']:+.1f} ({known}) [{each['percent']:+g}]",
            ]
        )
    return ["defence", "beside", "of what", "change, % [paper]"], rows


def _cell(arm: Mapping[str, Any], figure: str) -> str:
    rate, beside = arm["rates"].get(figure), _beside(arm["said"].get(figure))
    if rate is None or rate["value"] is None:
        return f"–{beside}"
    bound = "at most " if "least" in rate else ""
    share = f"{100 * rate['value']:.1f} ({100 * rate['low']:.0f}–{100 * rate['high']:.0f}, {rate['of']})"
    return f"{bound}{share}{beside}"


def _beside(said: float | None) -> str:
    return "" if said is None else f" [{said:g}]"


def _p(arm: Mapping[str, Any], figure: str) -> str:
    p = arm["p"].get(figure)
    return "–" if p is None else f"{p:.2g}"


def bars_of(name: str, record: Mapping[str, Any]) -> Figure:
    """Draw every arm's shares on texts as they are, on stored ones and under attack."""
    arms = record["arms"]
    attacks = dict.fromkeys(attack for each in arms.values() for attack in each.get("under attack", ()))
    panels = {  # what stands above a panel, and what its bars are
        CLEAN: ("right on texts as they are", "the texts as they are that it gets right"),
        PREMADE: (
            "right on stored texts that fooled the base",
            "the stored texts that fooled the base and that it gets right",
        ),
    }
    for attack in attacks:
        if any(fooled(attack) in each["said"] for each in arms.values()):
            panels[fooled(attack)] = (
                f"fooled by {attack}, of those right before",
                f"of the texts it has right, those that {attack} turns wrong, where less is better",
            )
        else:
            panels[left_anew(attack)] = (
                f"right under attack by {attack}, asked anew",
                f"the texts it still gets right under attack by {attack}, asked anew (at most)",
            )
    shares = {
        (arm, figure): Bar(
            panel, arm, 100 * rate["value"], 100 * rate["low"], 100 * rate["high"], _said(each["said"], figure)
        )
        for arm, each in arms.items()
        for figure, (panel, _) in panels.items()
        if (rate := each["rates"].get(figure)) and rate["value"] is not None
    }
    drawn = dict.fromkeys(figure for _, figure in shares)
    return bars(
        f"defences-{name}",
        f"Defences of {record['base'].removeprefix('zoo:')}",
        f"A bar for each defence, in percent; from the top, {'; '.join(panels[figure][1] for figure in drawn)}.",
        list(shares.values()),
        "%",
    )


def _said(said: Mapping[str, float], figure: str) -> float | None:
    if figure == CLEAN and ERROR in said:
        return round(100 - said[ERROR], 2)
    return said.get(figure)
