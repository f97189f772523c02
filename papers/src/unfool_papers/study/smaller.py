"""A plan as one part of a larger one: the same experiments on another data set or in another size."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from unfool_papers.study.claim import Figures, judged
from unfool_papers.study.plan import Part, Plan, Section, Work
from unfool_papers.study.record import record
from unfool_papers.study.run_rows import carry_out_rows
from unfool_papers.study.tables import differences, row_table


def plan_as_part(title: str, plan: Plan, name: str) -> Part:
    """Return a part that carries out a plan: its rows, then its parts.

    Args:
        title: The part's title.
        plan: The plan; what it leaves out is said in front of the notes.
        name: What claims of parts and files of figures are told apart by from those of other sizes.
    """
    return Part(title, partial(_carried_out, plan, name))


def _carried_out(plan: Plan, name: str, work: Work) -> Section:
    runs, problems = carry_out_rows(plan.rows, work.out / "runs", work)
    records = [record(row, runs[row.name]) for row in plan.rows if row.name in runs]
    claims = [judged(claim, runs) for claim in plan.claims(Figures({each["row"]: each for each in records}))]
    if problems:
        return Section(tables=[row_table(records)], problems=problems)
    inside = {part.title: part.do(work._replace(runs=runs)) for part in plan.parts}
    sections = list(inside.values())
    return Section(
        tables=[
            row_table(records)._replace(title="Attacks"),
            *(table for section in sections for table in section.tables),
        ],
        claims=[
            *(claim for claim in claims if claim),
            *(_named(claim, name) for section in sections for claim in section.claims),
        ],
        figures=[
            figure._replace(name=f"{figure.name}-{name}") for section in sections for figure in section.figures
        ],
        notes=[
            plan.differs,
            *differences(records),
            *dict.fromkeys(
                f"{each['victim']} is a stand-in: {each['stand-in']}" for each in records if each["stand-in"]
            ),
            *(note for section in sections for note in section.notes),
        ],
        values={"rows": records, **{title: dict(section.values) for title, section in inside.items()}},
        problems={problem: why for section in sections for problem, why in section.problems.items()},
    )


def _named(claim: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return {**claim, "on": f"{name}: {claim['on']}"}
