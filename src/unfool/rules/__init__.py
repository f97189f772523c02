"""Universal word replacement rules: mined, applied, shown, and used to audit a model."""

from unfool.rules._apply import Rewriter, judge, rewrite
from unfool.rules._audit import audit
from unfool.rules._audit_page import write_audit
from unfool.rules._file import plain_rule, read_rules, write_rules
from unfool.rules._found import Audit, Finding, Grounds
from unfool.rules._mine import Mined, gather, mine
from unfool.rules._pmi import WordCounts, pmi_salience
from unfool.rules._rule import Association, Example, Rule, RuleBook
from unfool.rules._select import Kept
from unfool.rules._sweeps import (
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
