"""What several models answer about the same texts, each asked about each distinct input once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Later, PendingAnswers, Predictor
from unfool.errors import UserError, VictimError
from unfool.labels import check_labels, how_matched, match_labels
from unfool.text import Variants

LOGITS, LOG_PROBABILITIES = "logits", "log-probabilities"
_SMALLEST_PROBABILITY = 1e-6
"""As fine as answers in plain probabilities are looked at; below, their logarithms are noise."""


class Scores(NamedTuple):
    """Scores by model, text and class, numbered as in the data, and which texts every model answered about."""

    values: NDArray[np.float64]
    answered: NDArray[np.bool_]
    problem: VictimError | None
    """Why one of the texts has no answer."""


class ScoringModels:
    """Models that are asked together: raw logits if all of them give such, else logarithms of probabilities.

    Args:
        victims: The models; none if nothing is to be asked.
        labels: The data's labels. Each model's are matched to them as an attack does it, by name if it has all
            the names, else in order; labels the data does not have stand behind them.
    """

    def __init__(self, victims: Sequence[Predictor], labels: Sequence[str]) -> None:
        for victim in victims:
            check_labels("the data", labels, repr(victim), victim.labels)
            if len(victim.labels) != len(victims[0].labels):
                raise UserError(
                    f"models that mine together need the same number of labels: {victims[0]!r} has "
                    f"{list(victims[0].labels)}, {victim!r} has {list(victim.labels)}; mine with each alone"
                )
        self._orders = [_order(labels, victim.labels) for victim in victims]
        self._ours = tuple(labels)
        self.victims = list(victims)
        self.scores = LOGITS if all(hasattr(v, "launch_logits") for v in victims) else LOG_PROBABILITIES

    @property
    def labels(self) -> tuple[str, ...]:
        """The data's labels as the first model calls them, or as the data does if there is none."""
        return self._in_our_order(0) if self.victims else self._ours

    def label_notes(self) -> list[str]:
        """Return a line for each model that has other names for the labels: which stands for which."""
        found = []
        for number, victim in enumerate(self.victims):
            theirs = self._in_our_order(number)[: len(self._ours)]
            if [name.lower() for name in theirs] != [name.lower() for name in self._ours]:
                how = how_matched(self._ours, victim.labels)
                found.append(f"{victim!r}: its labels {list(theirs)} are the data's {list(self._ours)}, {how}")
        return found

    def _in_our_order(self, number: int) -> tuple[str, ...]:
        return tuple(self.victims[number].labels[place] for place in self._orders[number])

    def launch(self, asked: Sequence[Variants]) -> Later[Scores]:
        """Start every model on these texts; with a device in play, return without waiting."""
        pending, inverses = [], []
        for victim in self.victims:
            rows = victim.rows(asked)
            _, first, inverse = np.unique(rows.keys, return_index=True, return_inverse=True)
            launch: Callable[[Any, NDArray[np.intp]], PendingAnswers] = (
                getattr(victim, "launch_logits") if self.scores == LOGITS else victim.launch  # noqa: B009 (optional)
            )
            pending.append(launch(rows, first))
            inverses.append(inverse)
        return Later.all(pending).then(partial(self._scores_of, inverses))

    def _scores_of(self, inverses: Sequence[NDArray[np.intp]], answers: Sequence[Answers]) -> Scores:
        values, answered, problem = [], np.ones(len(inverses[0]), dtype=bool), None
        for given, inverse, order in zip(answers, inverses, self._orders, strict=True):
            scores = np.asarray(given.values, dtype=np.float64)[:, order]
            if self.scores != LOGITS:
                scores = np.log(scores.clip(_SMALLEST_PROBABILITY))
            sound = np.asarray(np.isfinite(scores).all(axis=1))
            sound[list(given.errors)] = False
            answered &= sound[inverse]
            if not sound.all():
                problem = problem or next(iter(given.errors.values()), VictimError("an answer is not a number"))
            values.append(scores[inverse])
        return Scores(np.stack(values), answered, problem)


def _order(ours: Sequence[str], theirs: Sequence[str]) -> list[int]:
    """Return a victim's numbers of the data's labels, then those of its other labels, in order of their names."""
    known = match_labels(ours, theirs) or list(range(len(ours)))
    others = (number for number in range(len(theirs)) if number not in known)
    return [*known, *sorted(others, key=lambda number: theirs[number].lower())]
