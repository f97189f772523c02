"""The run folder: what is kept of an attack, how it is resumed, summed up, compared and exported."""

from unfool.runs._classes import ClassFigures
from unfool.runs._compare import Comparison, Effort, compare
from unfool.runs._export import export
from unfool.runs._remarks import OtherLanguage
from unfool.runs._repeated import Repeated
from unfool.runs._run import Run
from unfool.runs._summary import CurvePoint, Summary, summarise
from unfool.runs._words import Marked, Piece, mark_changes

__all__ = [
    "ClassFigures",
    "Comparison",
    "CurvePoint",
    "Effort",
    "Marked",
    "OtherLanguage",
    "Piece",
    "Repeated",
    "Run",
    "Summary",
    "compare",
    "export",
    "mark_changes",
    "summarise",
]
