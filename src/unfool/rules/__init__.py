"""Universal word replacement rules: mined, applied, shown, and used to audit a model."""

from unfool.rules._apply import Rewriter, judge, recipe_name, refuse_other_labels, rewrite
from unfool.rules._audit import find_biases
from unfool.rules._file import plain_rule, read_rules, write_rules
from unfool.rules._found import Audit, Finding, Grounds, Shown
from unfool.rules._mine import Mined, Settings, gather, gathered, mine
from unfool.rules._pmi import WordCounts, pmi_salience
from unfool.rules._rule import Association, Example, Rule, RuleBook
from unfool.rules._select import Kept
from unfool.rules._word_importance import Importance, substitute_importance, word_importance

__all__ = [
    "Association",
    "Audit",
    "Example",
    "Finding",
    "Grounds",
    "Importance",
    "Kept",
    "Mined",
    "Rewriter",
    "Rule",
    "RuleBook",
    "Settings",
    "Shown",
    "WordCounts",
    "find_biases",
    "gather",
    "gathered",
    "judge",
    "mine",
    "plain_rule",
    "pmi_salience",
    "read_rules",
    "recipe_name",
    "refuse_other_labels",
    "rewrite",
    "substitute_importance",
    "word_importance",
    "write_rules",
]
