"""The run folder: what is kept of an attack, how it is resumed, summed up, compared and exported."""

from unfool.runs._comet import CometFigures, CometScore, comet
from unfool.runs._compare import Comparison, Effort, compare
from unfool.runs._folder import TRACEBACKS, is_finished, is_run, nothing_done
from unfool.runs._outputs import outcome_quality
from unfool.runs._records import (
    Cost,
    Cross,
    Overlay,
    Weights,
    adding_overlays,
    failure_from_line,
    outcome_from_line,
    read_overlays,
    to_line,
)
from unfool.runs._remarks import Naming, OtherLanguage, best_fit, describe_crossed_labels
from unfool.runs._run import Run
from unfool.runs._several import AFTER, SEVERAL, Runs, WorstCase, holds_several, same_texts, worst_case
from unfool.runs._shards import SHARD, Shard, shard_folders
from unfool.runs._summary import ClassFigures, Repeated, Summary, summarise
from unfool.runs._table import NUMBERS, export, flat_row, label_name, numbers, storable
from unfool.runs._votes import Valid, Votes, enter_votes, read_votes, valid_success
from unfool.runs._words import Piece, mark_between, mark_changes

__all__ = [
    "AFTER",
    "NUMBERS",
    "SEVERAL",
    "SHARD",
    "TRACEBACKS",
    "ClassFigures",
    "CometFigures",
    "CometScore",
    "Comparison",
    "Cost",
    "Cross",
    "Effort",
    "Naming",
    "OtherLanguage",
    "Overlay",
    "Piece",
    "Repeated",
    "Run",
    "Runs",
    "Shard",
    "Summary",
    "Valid",
    "Votes",
    "Weights",
    "WorstCase",
    "adding_overlays",
    "best_fit",
    "comet",
    "compare",
    "describe_crossed_labels",
    "enter_votes",
    "export",
    "failure_from_line",
    "flat_row",
    "holds_several",
    "is_finished",
    "is_run",
    "label_name",
    "mark_between",
    "mark_changes",
    "nothing_done",
    "numbers",
    "outcome_from_line",
    "outcome_quality",
    "read_overlays",
    "read_votes",
    "same_texts",
    "shard_folders",
    "storable",
    "summarise",
    "to_line",
    "valid_success",
    "worst_case",
]
