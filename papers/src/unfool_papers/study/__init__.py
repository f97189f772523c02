"""What carries a paper's experiments out: rows, claims and parts, declared in a short file a paper."""

from unfool_papers.study.carry_out import Finished, carry_out
from unfool_papers.study.claim import Claim, Figures, Term
from unfool_papers.study.plan import Part, Plan, Scale, Section, Study, Table, Work
from unfool_papers.study.row import Reported, Row, RowFigure

__all__ = [
    "Claim",
    "Figures",
    "Finished",
    "Part",
    "Plan",
    "Reported",
    "Row",
    "RowFigure",
    "Scale",
    "Section",
    "Study",
    "Table",
    "Term",
    "Work",
    "carry_out",
]
