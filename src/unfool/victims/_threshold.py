"""A victim of two labels that says the positive one only where it is sure enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Floats, PendingAnswers, Predictor
from unfool.errors import UserError, did_you_mean
from unfool.text import Variants
from unfool.victims._answer_forms import place_of
from unfool.victims._text_victim import Input

_AHEAD = 0.001
"""How far from one half the answer is at the threshold, so that rounding never makes a tie of it."""
_CHECK_DECIMALS = 5


class Thresholded:
    """A victim that answers the positive label where its probability is at least a threshold, and only there.

    Attacks and figures take the likelier label for the answer, so the probability p of the positive label is moved:
    below the threshold t it becomes 0.499 p / t, from there on 0.501 + 0.499 (p - t) / (1 - t). The order of texts
    stays, and the answer changes where the deployed model's does.

    It offers predictions alone: the gradients and the like of the victim are those of other probabilities.
    """

    def __init__(self, victim: Predictor, threshold: float, positive: str | None = None) -> None:
        """Move the decision of a victim.

        Args:
            victim: The victim; it has two labels.
            threshold: The least probability of the positive label with which it is the answer.
            positive: The positive label; the second where None.
        """
        if len(victim.labels) != 2:
            raise UserError(f"a threshold needs two labels, and {victim!r} has {len(victim.labels)}")
        if not 0 < threshold <= 1:
            raise UserError(f"{victim!r} cannot take threshold={threshold:g}; give a number above 0 and up to 1")
        place = 1 if positive is None else place_of(positive, victim.labels)
        if place is None:
            raise UserError(f"{victim!r} has no label {positive!r}{did_you_mean(str(positive), victim.labels)}")
        self._victim, self._threshold, self._place = victim, threshold, place
        self.labels, self.decimals, self.approximate = victim.labels, victim.decimals, victim.approximate
        self.unknown, self.vocabulary = victim.unknown, victim.vocabulary
        self.device = getattr(victim, "device", None)
        self.queries_a_text: int = getattr(victim, "queries_a_text", 1)
        self.fingerprint: str | None = getattr(victim, "fingerprint", None)

    def rows(self, asked: Sequence[Variants]) -> Any:
        """Prepare the texts as the victim does."""
        return self._victim.rows(asked)

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the victim's work."""
        return _Moved(self._victim.launch(rows, chosen), self._moved_in_search)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start the victim's check of rendered texts."""
        return _Moved(self._victim.check(inputs), self._moved_in_check)

    def confirm(self, inputs: Sequence[Input]) -> Answers:
        """Ask about rendered texts, and wait."""
        return self.check(inputs).result()

    def __repr__(self) -> str:
        positive = "" if self._place else f",positive={quote(self.labels[0])}"
        return f"{self._victim!r}#threshold={self._threshold:g}{positive}"

    def _moved_in_search(self, values: Floats) -> Floats:
        return self._moved(values, self.decimals)

    def _moved_in_check(self, values: Floats) -> Floats:
        return self._moved(values, max(self.decimals, _CHECK_DECIMALS))

    def _moved(self, values: Floats, decimals: int) -> Floats:
        # Rounded first: what noise there is would be as much larger as the line is steeper.
        p = np.round(values[:, self._place].astype(np.float64), decimals)
        t, share = self._threshold, 0.5 - _AHEAD
        above = 1 - share * (1 - p) / ((1 - t) or 1)
        moved = np.where(p >= t, above, share * p / t)
        columns = (1 - moved, moved) if self._place else (moved, 1 - moved)
        return np.stack(columns, axis=1).astype(np.float32)


class _Moved:
    def __init__(self, pending: PendingAnswers, move: Callable[[Floats], Floats]) -> None:
        self._pending, self._move = pending, move

    def result(self) -> Answers:
        answers = self._pending.result()
        return Answers(self._move(answers.values), answers.errors)
