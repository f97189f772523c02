"""Whether texts that fool one model fool others: the matrix, what it depends on, ensembles."""

from unfool.transfer._ensembles import (
    POPULATION,
    Ensemble,
    ensemble_name,
    exhaustive,
    expert,
    fitness,
    genetic,
    missing_rates,
)
from unfool.transfer._factors import (
    ARCHITECTURES,
    FACTORS,
    INPUTS,
    Analysis,
    ClassTable,
    Impact,
    Traits,
    analyse,
    factor_impacts,
    pairs_by_factor,
    traits,
)
from unfool.transfer._jobs import (
    FoolingTexts,
    Plan,
    Target,
    craft,
    craft_touches,
    fill,
    fill_touches,
    fooling_texts,
)
from unfool.transfer._make import study
from unfool.transfer._matrix import Matrix
from unfool.transfer._study import Cell, Study, file_name
from unfool.transfer._summary import ModelFigures, TransferSummary, summary
from unfool.zoo.victim_names import short_name

__all__ = [
    "ARCHITECTURES",
    "FACTORS",
    "INPUTS",
    "POPULATION",
    "Analysis",
    "Cell",
    "ClassTable",
    "Ensemble",
    "FoolingTexts",
    "Impact",
    "Matrix",
    "ModelFigures",
    "Plan",
    "Study",
    "Target",
    "Traits",
    "TransferSummary",
    "analyse",
    "craft",
    "craft_touches",
    "ensemble_name",
    "exhaustive",
    "expert",
    "factor_impacts",
    "file_name",
    "fill",
    "fill_touches",
    "fitness",
    "fooling_texts",
    "genetic",
    "missing_rates",
    "pairs_by_factor",
    "short_name",
    "study",
    "summary",
    "traits",
]
