"""Whether texts that fool one model fool others: the matrix, its factors, ensembles."""

from unfool.transfer._ensembles import (
    POPULATION,
    Chosen,
    ensemble_name,
    exhaustive,
    expert,
    fitness,
    genetic,
    missing_rates,
)
from unfool.transfer._factors import Analysis, ClassTable, Impact, analyse, class_table, factor_impacts
from unfool.transfer._findings import Finding, findings
from unfool.transfer._heat_map import heat_map
from unfool.transfer._jobs import Plan, Target, craft, fill
from unfool.transfer._make import study
from unfool.transfer._matrix import Matrix
from unfool.transfer._places import file_name
from unfool.transfer._study import Study
from unfool.transfer._summary import describe, summary
from unfool.transfer._texts import numbers_in_data
from unfool.transfer._traits import Traits, traits
from unfool.zoo.victim_names import short_name

__all__ = [
    "POPULATION",
    "Analysis",
    "Chosen",
    "ClassTable",
    "Finding",
    "Impact",
    "Matrix",
    "Plan",
    "Study",
    "Target",
    "Traits",
    "analyse",
    "class_table",
    "craft",
    "describe",
    "ensemble_name",
    "exhaustive",
    "expert",
    "factor_impacts",
    "file_name",
    "fill",
    "findings",
    "fitness",
    "genetic",
    "heat_map",
    "missing_rates",
    "numbers_in_data",
    "short_name",
    "study",
    "summary",
    "traits",
]
