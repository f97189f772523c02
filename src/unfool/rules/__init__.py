"""Universal word replacement rules: mined, applied, shown, and used to audit a model."""

from unfool.rules._apply import Rewriter, apply_rules, recipe_name, refuse_other_labels, rewrite_data
from unfool.rules._audit import Audit, Explanation, FlippedText, FlippingRule, find_biases
from unfool.rules._book import Association, Example, Rule, RuleBook, read_rules, write_rules
from unfool.rules._mine import MinedRules, MiningSettings, mine_into, mine_rules, opened_mining
from unfool.rules._salience import RuleFilter, WordCounts, pmi_salience
from unfool.rules._scores import ScoringModels
from unfool.rules._trial import MiningFigures, PlacedSample, StretchTrial, replacements
from unfool.rules._word_importance import Importance, substitute_importance, word_importance

__all__ = [
    "Association",
    "Audit",
    "Example",
    "Explanation",
    "FlippedText",
    "FlippingRule",
    "Importance",
    "MinedRules",
    "MiningFigures",
    "MiningSettings",
    "PlacedSample",
    "Rewriter",
    "Rule",
    "RuleBook",
    "RuleFilter",
    "ScoringModels",
    "StretchTrial",
    "WordCounts",
    "apply_rules",
    "find_biases",
    "mine_into",
    "mine_rules",
    "opened_mining",
    "pmi_salience",
    "read_rules",
    "recipe_name",
    "refuse_other_labels",
    "replacements",
    "rewrite_data",
    "substitute_importance",
    "word_importance",
    "write_rules",
]
