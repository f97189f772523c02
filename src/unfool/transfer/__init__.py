"""Whether texts that fool one model fool others: the matrix, its factors, ensembles."""

from unfool.transfer._ensembles import Chosen, ensemble_name, exhaustive, expert, fitness, genetic
from unfool.transfer._factors import Analysis, ClassTable, Impact, analyse, class_table, factor_impacts
from unfool.transfer._findings import Finding, findings
from unfool.transfer._heat_map import heat_map
from unfool.transfer._make import study
from unfool.transfer._matrix import Matrix
from unfool.transfer._names import short_name
from unfool.transfer._study import Study
from unfool.transfer._summary import describe, summary
from unfool.transfer._traits import Traits, traits
from unfool.transfer._word_importance import Importance, substitute_importance, word_importance

__all__ = [
    "Analysis",
    "Chosen",
    "ClassTable",
    "Finding",
    "Impact",
    "Importance",
    "Matrix",
    "Study",
    "Traits",
    "analyse",
    "class_table",
    "describe",
    "ensemble_name",
    "exhaustive",
    "expert",
    "factor_impacts",
    "findings",
    "fitness",
    "genetic",
    "heat_map",
    "short_name",
    "study",
    "substitute_importance",
    "summary",
    "traits",
    "word_importance",
]
