"""A victim that tells what it is asked, and that a search can be stopped at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Later, Pending, PendingAnswers, Predictor, Service, answered_labels
from unfool.text import Text, Variants
from unfool.victims import CAPABILITIES, Input, WrappedVictim

_ANSWERING = ("gradients", "attention", "hidden", "zeroed", "summaries")
"""Capabilities that are work for the net; the others are tables."""


class Seen(NamedTuple):
    """How many texts were asked about, the one most against the right label, and the belief in each label."""

    texts: int
    strings: Input
    beliefs: list[float]


class _Rows(NamedTuple):
    """A victim's rows, and the texts they were made of."""

    inner: Any
    asked: Sequence[Variants]

    @property
    def keys(self) -> Any:
        return self.inner.keys

    def text(self, number: int) -> Text:
        for variants in self.asked:
            if number < len(variants):
                return variants[number]
            number -= len(variants)
        raise IndexError(number)


class WatchedVictim(WrappedVictim):
    """A victim around another one, with the same answers.

    Args:
        inner: The victim.
        before: Called before each question; what it raises ends the search.
        tell: Told of each question about texts that is answered.
    """

    def __init__(self, inner: Predictor, before: Callable[[], None], tell: Callable[[Seen], None]) -> None:
        super().__init__(inner)
        self._before, self._tell = before, tell
        self._right: int | None = None
        self.pass_on("embeddings", "characters")
        self.reads_last_token = getattr(inner, "reads_last_token", False)
        for name in _ANSWERING:
            if isinstance(inner, CAPABILITIES[name]):
                setattr(self, name, _WatchedService(getattr(inner, name), before))
        if output := getattr(inner, "output", None):  # of a model that generates
            self.output = output

    def rows(self, asked: Sequence[Variants]) -> _Rows:
        """Prepare the texts, and remember them."""
        return _Rows(self.inner.rows(asked), asked)

    def launch(self, rows: _Rows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Have the victim answer, and tell of it."""
        self._before()
        answers = self.inner.launch(rows.inner, chosen).result()
        beliefs = answers.values[:, self._right or 0].astype(np.float64)
        beliefs[list(answers.errors)] = np.inf
        if len(answers.errors) < len(chosen):
            place = int(beliefs.argmin())
            self._tell(Seen(len(chosen), rows.text(int(chosen[place])).strings, _rounded(answers, place)))
        return Later.of(answers)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Have the victim answer from scratch. What it says of the first text, the original, is the right label."""
        self._before()
        answers = self.inner.check(inputs).result()
        if self._right is None and 0 not in answers.errors and len(inputs):
            self._right = int(answered_labels(answers.values)[0])
            self._tell(Seen(0, inputs[0], _rounded(answers, 0)))
        return Later.of(answers)


class _WatchedService:
    """A service of the victim's, told of before it is asked."""

    def __init__(self, inner: Service, before: Callable[[], None]) -> None:
        self._inner, self._before = inner, before

    def launch(self, requests: Sequence[Any]) -> Pending:
        """Have the victim answer."""
        self._before()
        return Later.of(self._inner.launch(requests).result())


def _rounded(answers: Answers, place: int) -> list[float]:
    beliefs: list[float] = np.round(answers.values[place].astype(np.float64), 4).tolist()
    return beliefs
