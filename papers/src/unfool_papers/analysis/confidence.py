"""How confident the wrong answer is: success against a threshold of confidence (HotFlip's Figure 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from unfool.engine import Goal, Outcome, Status
from unfool.errors import UserError
from unfool.runs import Run
from unfool.stats import Rate
from unfool_papers.analysis.figure import Figure
from unfool_papers.analysis.outcomes import Outcomes, outcomes_of

THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9)


def success_by_confidence(
    runs: Outcomes | Mapping[str, Outcomes | Sequence[Run]], *, thresholds: Sequence[float] = THRESHOLDS
) -> Figure:
    """Return success against how confident the wrong answer must be, as one curve or several.

    An attack stops at the first wrong answer that is confident enough for the goal of its run. So a run tells the
    whole truth at its own threshold only: above it, the attack could have gone on. Give the runs of one attack at
    several goals together (``unfool attack --confidence 0.9``): each threshold is then read from the run with the
    lowest goal that reaches it. Where none does, the point is a lower bound, drawn hollow and apart.

    Args:
        runs: A run or outcomes; or, by name, such or all runs of one attack.
        thresholds: The confidences asked for.

    Raises:
        UserError: If a run attacked nothing.
    """
    named: Mapping[str, Any] = runs if isinstance(runs, Mapping) else {"attack": runs}
    rows = [row for name, given in named.items() for row in _curve(name, _aims(name, given), thresholds)]
    ends = "; ".join(_told(name, [row for row in rows if row["attack"] == name]) for name in named)
    return Figure(
        "success-by-confidence",
        "Success against the confidence the wrong answer must have",
        f"Of the attacked texts, the share answered wrongly with at least that confidence: {ends}. "
        "Bars are 95 % intervals; hollow points are lower bounds, since the attack stopped at less.",
        rows,
        _chart(len(named) > 1),
    )


class _Aim(NamedTuple):
    """The attacked outcomes of a run, and what counted as success in it."""

    goal: Goal
    outcomes: list[Outcome]


def _aims(name: str, given: Any) -> list[_Aim]:
    runs = isinstance(given, Sequence) and bool(given) and all(isinstance(one, Run) for one in given)
    found = []
    for one in given if runs else [given]:
        aimed: Any = one.config["goal"] if isinstance(one, Run) else {}
        attacked = [outcome for outcome in outcomes_of(one) if outcome.status is not Status.SKIPPED]
        if not attacked:
            raise UserError(
                f"{name!r} attacked no text, so there is no success to draw against confidence; "
                "give a run that attacked some"
            )
        found.append(_Aim(Goal(**aimed), attacked))
    return sorted(found, key=lambda aim: aim.goal.confidence)


def _curve(name: str, aims: list[_Aim], thresholds: Sequence[float]) -> list[dict[str, Any]]:
    rows = []
    for threshold in thresholds:
        aim = next((aim for aim in aims if aim.goal.confidence >= threshold), aims[-1])
        rate = Rate(sum(_fooled(each, aim.goal, threshold) for each in aim.outcomes), len(aim.outcomes))
        low, high = rate.interval
        rows.append(
            {
                "attack": name,
                "confidence": threshold,
                "success": rate.value,
                "low": low,
                "high": high,
                "count": rate.count,
                "of": rate.of,
                "goal": aim.goal.confidence,
                "bound": aim.goal.confidence < threshold,
            }
        )
    return rows


def _fooled(outcome: Outcome, goal: Goal, threshold: float) -> bool:
    if threshold == goal.confidence:  # an outcome's own confidence is rounded, sometimes up to the goal
        return outcome.status is Status.SUCCESS
    answer = outcome.after.label
    fooled = answer != outcome.label if goal.target is None else answer == goal.target and not outcome.after.tied
    return fooled and outcome.after.confidence >= threshold and outcome.keeps_rules


def _told(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    first, last = rows[0], rows[-1]
    return (
        f"{name} {first['success']:.1%} at {first['confidence']:g} and {last['success']:.1%} at "
        f"{last['confidence']:g} (n = {last['of']})"
    )


def _chart(several: bool) -> dict[str, Any]:
    x = {
        "field": "confidence",
        "type": "quantitative",
        "scale": {"zero": False, "padding": 12},
        "title": "least confidence of the wrong answer",
        "axis": {"format": ".1f", "tickMinStep": 0.1},
    }
    y = {"type": "quantitative", "scale": {"domain": [0, 1]}, "axis": {"format": ".0%"}, "title": "success"}
    by_name = {"field": "attack", "type": "nominal", "sort": None} if several else {"value": "#4c78a8"}
    colour = {"color": {**by_name, "title": None} if several else by_name}
    fill = {
        "condition": {"test": "datum.bound", "value": "white"},
        **by_name,
        **({"legend": None} if several else {}),
    }
    return {
        "width": 440,
        "height": 280,
        "layer": [
            {
                "transform": [{"filter": "!datum.bound"}],
                "mark": "line",
                "encoding": {"x": x, "y": {"field": "success", **y}, **colour},
            },
            {"mark": "rule", "encoding": {"x": x, "y": {"field": "low", **y}, "y2": {"field": "high"}, **colour}},
            {
                "mark": {"type": "point", "size": 55, "opacity": 1, "strokeWidth": 2},
                "encoding": {"x": x, "y": {"field": "success", **y}, **colour, "fill": fill},
            },
        ],
    }
