"""The five papers' studies, by name."""

from __future__ import annotations

from typing import Any

from unfool.errors import UserError, did_you_mean
from unfool_papers import cs229, firebert, hotflip, self_attention, transferability
from unfool_papers.study import Figures, Row, Study

STUDIES: dict[str, Study] = {
    paper.STUDY.name: paper.STUDY for paper in (self_attention, transferability, cs229, firebert, hotflip)
}


def find_study(name: str) -> Study:
    """Return a study by its name.

    Raises:
        UserError: If no study has that name.
    """
    if name not in STUDIES:
        raise UserError(f"there is no study {name!r}{did_you_mean(name, STUDIES)}")
    return STUDIES[name]


def all_rows() -> tuple[Row, ...]:
    """Return the rows of every paper at full scale."""
    return tuple(row for study in STUDIES.values() for row in study.plans["full"].rows)


def all_claims(records: dict[str, Any]) -> list[Any]:
    """Return the claims of every paper about rows at full scale, measured or not."""
    figures = Figures(records)
    return [claim for study in STUDIES.values() for claim in study.plans["full"].claims(figures)]
