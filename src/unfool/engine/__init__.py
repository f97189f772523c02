"""The loop that runs thousands of attacks at once, and everything it decides."""

from unfool.engine._ask import Ask, Constraint, Oracle
from unfool.engine._attempt import Attack, NoAnswer, attack_samples, described
from unfool.engine._goal import Floats, Goal, answered_labels, leading
from unfool.engine._ledger import OutOfQueries
from unfool.engine._loop import run as run_together
from unfool.engine._outcome import (
    NOT_FOOLED,
    NOTHING_PROPOSED,
    OUT_OF_QUERIES,
    OUTPUT,
    REFERENCE,
    Failure,
    Outcome,
    Status,
    Step,
    Swap,
    Verdict,
)
from unfool.engine._parcels import attack_in_parcels
from unfool.engine._predict import RowCache
from unfool.engine._service import FunctionService, Later, Pending, Service, request
from unfool.engine._victim import Answers, PendingAnswers, Predictor, Rows
from unfool.engine._workers import Connection, attack_in_workers
from unfool.options import Budget

__all__ = [
    "NOTHING_PROPOSED",
    "NOT_FOOLED",
    "OUTPUT",
    "OUT_OF_QUERIES",
    "REFERENCE",
    "Answers",
    "Ask",
    "Attack",
    "Budget",
    "Connection",
    "Constraint",
    "Failure",
    "Floats",
    "FunctionService",
    "Goal",
    "Later",
    "NoAnswer",
    "Oracle",
    "OutOfQueries",
    "Outcome",
    "Pending",
    "PendingAnswers",
    "Predictor",
    "RowCache",
    "Rows",
    "Service",
    "Status",
    "Step",
    "Swap",
    "Verdict",
    "answered_labels",
    "attack_in_parcels",
    "attack_in_workers",
    "attack_samples",
    "described",
    "leading",
    "request",
    "run_together",
]
