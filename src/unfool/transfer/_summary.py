"""The figures of a study as plain values, for its file, for scripts and for tables."""

from __future__ import annotations

import math
from typing import Any

from unfool.runs import is_finished
from unfool.stats import Rate
from unfool.transfer._factors import Analysis, ClassTable, analyse
from unfool.transfer._findings import Finding, findings
from unfool.transfer._matrix import Floats, mean
from unfool.transfer._study import Study
from unfool.transfer._traits import traits

_PLACES = 6
"""Tables round once more, to thousandths: with fewer places, a share just below a half of one could become it."""


def summary(study: Study) -> dict[str, Any]:
    """Return all figures: the settings, a line a model, the matrix with intervals, and what follows from it."""
    matrix, corrected = study.matrix(), study.matrix(corrected=True)
    every, known = [*study.victims, *study.sources], any(map(traits, study.victims))
    return {
        "settings": study.settings,
        "models": _models(study, matrix.between, corrected.between),
        "sources": every,
        "targets": study.victims,
        "rates": [[_cell(study.rate(source, target)) for target in study.victims] for source in every],
        "corrected": [
            [_cell(study.rate(source, target, corrected=True)) for target in study.victims] for source in every
        ],
        "analysis": describe(analyse(matrix)) if known else None,
        "analysis, corrected": describe(analyse(corrected)) if known else None,
    }


def describe(analysis: Analysis, tested: list[Finding] | None = None) -> dict[str, Any]:
    """Return an analysis and its findings as plain values."""
    return {
        "impacts": {name: {"mean": _number(i.mean), "pairs": i.pairs} for name, i in analysis.impacts.items()},
        "by architecture": _table(analysis.by_architecture),
        "by input": _table(analysis.by_input),
        "asymmetry": {
            "pairs": analysis.asymmetry.pairs,
            "mean": _number(analysis.asymmetry.mean),
            "significant": _number(analysis.asymmetry.significant),
        },
        "findings": [
            {
                "claim": found.claim,
                "holds": found.holds,
                "parts": found.parts,
                "figures": {name: _number(value) for name, value in found.figures.items()},
            }
            for found in (tested or findings(analysis))
        ],
    }


def _models(study: Study, between: Floats, corrected: Floats) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            **_own(study, name),
            "sends": _number(mean(between[place])),
            "receives": _number(mean(between[:, place])),
            "receives, corrected": _number(mean(corrected[:, place])),
        }
        for place, name in enumerate(study.victims)
    ]


def _own(study: Study, name: str) -> dict[str, Any]:
    """Return what is known of a model by itself: its accuracy, how easily it was fooled, its base rate."""
    crafted = is_finished(study.places.run(name))
    run = study.run(name).summary if crafted else None
    base = study.rate(name, name)
    return {
        "accuracy": _rate(run.clean_accuracy) if run else None,
        "success": _rate(run.success_rate) if run else None,
        "base": _rate(base) if base else None,
    }


def _cell(rate: Rate | None) -> list[float | int] | None:
    """Return the rate, its interval, and how many texts it was taken over."""
    if rate is None or rate.value is None:
        return None
    return [*(round(number, _PLACES) for number in (rate.value, *rate.interval)), rate.of]


def _rate(rate: Rate) -> dict[str, float | int | None]:
    low, high = rate.interval
    return {"value": _number(rate.value), "low": _number(low), "high": _number(high), "of": rate.of}


def _table(table: ClassTable) -> dict[str, dict[str, float | None]]:
    return {
        row: {column: _number(value) for column, value in zip(table.classes, values.tolist(), strict=True)}
        for row, values in zip(table.classes, table.rates, strict=True)
    }


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else round(float(value), _PLACES)
