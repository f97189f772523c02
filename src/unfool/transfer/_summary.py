"""All figures of a study, typed for Python and as plain values for its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unfool.runs import is_finished
from unfool.stats import Rate
from unfool.storage import JSON
from unfool.transfer._factors import Analysis, analyse, traits
from unfool.transfer._matrix import PLACES, mean, rounded
from unfool.transfer._study import Study

RateTable = tuple[tuple[Rate | None, ...], ...]


@dataclass(frozen=True)
class ModelFigures:
    """What is known of one model; of a model that nothing was crafted on, there is no accuracy and no success."""

    name: str
    accuracy: Rate | None
    success: Rate | None
    """How often the attack fooled the model itself."""
    base: Rate | None
    """How often its texts fool its twin."""
    sends: float
    """How often its texts fool the other models, on average; NaN if no rate is there."""
    receives: float
    """How often texts made on the other models fool it, on average; NaN if no rate is there."""
    receives_corrected: float
    """The same over texts whose original it has right."""

    def to_json(self) -> dict[str, Any]:
        """Return plain values for a JSON file."""
        return {
            "name": self.name,
            **{key: _rate_to_json(getattr(self, key)) for key in ("accuracy", "success", "base")},
            "sends": rounded(self.sends),
            "receives": rounded(self.receives),
            "receives, corrected": rounded(self.receives_corrected),
        }


@dataclass(frozen=True)
class TransferSummary:
    """All figures of a study; `summary` makes it.

    Attributes:
        settings: All that decides what is in a cell.
        models: Figures of each victim.
        sources: The rows: the victims, then those that are only sources.
        targets: The columns: the victims.
        rates: How often texts that fool the row fool the column, or None if that was not tried.
        corrected: The same over texts whose original the column has right.
        analysis: What transfer depends on; None if no victim is a model of the zoo's 63.
        analysis_corrected: The same, from the corrected rates.
    """

    settings: dict[str, JSON]
    models: tuple[ModelFigures, ...]
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    rates: RateTable
    corrected: RateTable
    analysis: Analysis | None
    analysis_corrected: Analysis | None

    def to_json(self) -> dict[str, Any]:
        """Return plain values, as ``matrix.json`` has them; a rate is value, interval and number of texts."""
        return {
            "settings": self.settings,
            "models": [model.to_json() for model in self.models],
            "sources": list(self.sources),
            "targets": list(self.targets),
            "rates": [list(map(_cell_to_json, row)) for row in self.rates],
            "corrected": [list(map(_cell_to_json, row)) for row in self.corrected],
            "analysis": self.analysis and self.analysis.to_json(),
            "analysis, corrected": self.analysis_corrected and self.analysis_corrected.to_json(),
        }


def summary(study: Study) -> TransferSummary:
    """Return all figures: the settings, each model, the matrix with intervals, and what follows from it."""
    matrix, corrected = study.matrix(), study.matrix(corrected=True)
    sources, known = (*study.victims, *study.sources), any(map(traits, study.victims))
    between, between_corrected = matrix.between, corrected.between
    models = (
        ModelFigures(
            name,
            *_crafting_rates(study, name),
            study.rate(name, name),
            mean(between[place]),
            mean(between[:, place]),
            mean(between_corrected[:, place]),
        )
        for place, name in enumerate(study.victims)
    )
    rates, rates_corrected = (
        tuple(tuple(study.rate(source, target, corrected=each) for target in study.victims) for source in sources)
        for each in (False, True)
    )
    return TransferSummary(
        study.settings,
        tuple(models),
        sources,
        tuple(study.victims),
        rates,
        rates_corrected,
        analyse(matrix) if known else None,
        analyse(corrected) if known else None,
    )


def _crafting_rates(study: Study, name: str) -> tuple[Rate | None, Rate | None]:
    if not is_finished(study.places.run(name)):
        return None, None
    run = study.run(name).summary
    return run.clean_accuracy, run.success_rate


def _cell_to_json(rate: Rate | None) -> list[float | int] | None:
    if rate is None or rate.value is None:
        return None
    return [*(round(number, PLACES) for number in (rate.value, *rate.interval)), rate.of]


def _rate_to_json(rate: Rate | None) -> dict[str, float | int | None] | None:
    if rate is None:
        return None
    low, high = rate.interval
    return {"value": rounded(rate.value), "low": rounded(low), "high": rounded(high), "of": rate.of}
