"""How many fall at what cost: success against query budget, and against words changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from unfool.engine import Outcome, Status
from unfool.stats import percentage, wilson

_MOST_POINTS = 300  # more than a screen can tell apart
_PLACES = 4


class Point(NamedTuple):
    """Of the attacked samples, the share that fell at no more than this cost, with its 95 % Wilson interval."""

    cost: float
    rate: float
    low: float
    high: float


class Curves(NamedTuple):
    """Success against the number of queries, and against the percentage of words changed."""

    queries: list[Point]
    words: list[Point]


def curves(outcomes: Iterable[Outcome]) -> Curves:
    """Return both curves; they are empty where nothing was attacked."""
    attacked = 0
    queries: Counter[float] = Counter()
    words: Counter[float] = Counter()
    for outcome in outcomes:
        attacked += outcome.status is not Status.SKIPPED
        if outcome.status is Status.SUCCESS:
            queries[outcome.queries] += 1
            words[round(percentage(outcome.words_changed, outcome.words), 2)] += 1
    return Curves(_curve(queries, attacked), _curve(words, attacked))


def _curve(fallen: Counter[float], attacked: int) -> list[Point]:
    costs = sorted(fallen)
    points = list(zip(costs, accumulate(fallen[cost] for cost in costs), strict=True))
    return [_point(cost, count, attacked) for cost, count in _thinned(points)]


def _thinned(points: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """Leave out points, evenly; the first and the last stay, and so every point kept is exact."""
    if len(points) <= _MOST_POINTS:
        return points
    step = (len(points) - 1) / (_MOST_POINTS - 1)
    return [points[round(place * step)] for place in range(_MOST_POINTS)]


def _point(cost: float, count: int, attacked: int) -> Point:
    low, high = wilson(count, attacked)
    return Point(cost, *(round(share, _PLACES) for share in (count / attacked, low, high)))
