"""The run folder: what is kept of an attack, how it is resumed, summed up, compared and exported."""

from unfool.runs._classes import ClassFigures
from unfool.runs._compare import Comparison, Effort, compare, mcnemar
from unfool.runs._config import ConfigChange, config_changes, told_changes
from unfool.runs._export import export
from unfool.runs._rate import Rate, wilson
from unfool.runs._records import JSON
from unfool.runs._remarks import OtherLanguage
from unfool.runs._repeated import Repeated
from unfool.runs._run import Run
from unfool.runs._summary import CurvePoint, Summary, summarise
from unfool.runs._words import Marked, Piece, mark_changes

__all__ = [
    "JSON",
    "ClassFigures",
    "Comparison",
    "ConfigChange",
    "CurvePoint",
    "Effort",
    "Marked",
    "OtherLanguage",
    "Piece",
    "Rate",
    "Repeated",
    "Run",
    "Summary",
    "compare",
    "config_changes",
    "export",
    "mark_changes",
    "mcnemar",
    "summarise",
    "told_changes",
    "wilson",
]
