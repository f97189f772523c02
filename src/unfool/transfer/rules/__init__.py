"""Universal word replacement rules: mined, applied, shown, and used to audit a model."""

from unfool.transfer.rules._apply import Rewriter, judge, rewrite
from unfool.transfer.rules._audit import audit
from unfool.transfer.rules._audit_page import write_audit
from unfool.transfer.rules._file import plain_rule, read_rules, write_rules
from unfool.transfer.rules._found import Audit, Finding, Grounds
from unfool.transfer.rules._mine import Mined, gather, mine
from unfool.transfer.rules._pmi import WordCounts, pmi_salience
from unfool.transfer.rules._rule import Association, Example, Rule, RuleBook
from unfool.transfer.rules._select import Kept
from unfool.transfer.rules._sweeps import (
    CLASSES,
    FoolsMost,
    Success,
    books_by_size,
    by_budget,
    by_class,
    fool_most,
    judge_all,
)

__all__ = [
    "CLASSES",
    "Association",
    "Audit",
    "Example",
    "Finding",
    "FoolsMost",
    "Grounds",
    "Kept",
    "Mined",
    "Rewriter",
    "Rule",
    "RuleBook",
    "Success",
    "WordCounts",
    "audit",
    "books_by_size",
    "by_budget",
    "by_class",
    "fool_most",
    "gather",
    "judge",
    "judge_all",
    "mine",
    "plain_rule",
    "pmi_salience",
    "read_rules",
    "rewrite",
    "write_audit",
    "write_rules",
]
