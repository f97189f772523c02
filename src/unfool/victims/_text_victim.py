"""Victims that are asked with strings: rules, pipelines, functions, endpoints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unfool.engine import Answers, Floats, PendingAnswers
from unfool.errors import VictimError
from unfool.text import Variants

Input = tuple[str, ...]
"""A rendered text: one string, or two for a pair."""


class StringRows:
    """Rendered texts; two are the same row when their strings are."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        self.inputs = inputs

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """One key a text."""
        return np.array([hash(strings) for strings in self.inputs], dtype=np.int64).view(np.uint64)


class TextVictim(ABC):
    """Base of victims that take strings; a subclass gives `labels`, `probabilities` and a repr."""

    labels: tuple[str, ...]
    decimals = 6
    approximate = False
    unknown = "[UNK]"
    vocabulary: Sequence[str] = ()

    @abstractmethod
    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
        """Return one row of class probabilities a text; a `VictimError` in place of a row that failed."""

    def rows(self, asked: Sequence[Variants]) -> StringRows:
        """Render what the samples ask."""
        return StringRows([text.strings for variants in asked for text in variants])

    def launch(self, rows: StringRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Ask about some of the rows; the work is done when the answer is fetched."""
        return _Deferred(self, [rows.inputs[number] for number in chosen.tolist()])

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Ask again about rendered texts."""
        return self.launch(StringRows(inputs), np.arange(len(inputs)))

    def confirm(self, inputs: Sequence[Input]) -> Answers:
        """Ask about rendered texts, and wait."""
        return checked(repr(self), self.probabilities(inputs) if inputs else [], len(inputs), len(self.labels))


class _Deferred:
    def __init__(self, victim: TextVictim, inputs: Sequence[Input]) -> None:
        self._victim, self._inputs = victim, inputs

    def result(self) -> Answers:
        return self._victim.confirm(self._inputs)


def checked(
    victim: str, answers: ArrayLike | Sequence[ArrayLike | VictimError], count: int, classes: int
) -> Answers:
    """Accept only what a classifier may answer; every other row becomes a `VictimError` that names it."""
    values: Floats = np.zeros((count, classes), dtype=np.float32)
    errors: dict[int, VictimError] = {}
    try:
        given = len(answers)  # type: ignore[arg-type]
    except TypeError:
        given = -1
    if given != count:
        said = f"{given} answers" if given >= 0 else f"a {type(answers).__name__}"
        fault = VictimError(f"{victim} gave {said} for {count} texts; it must give one row a text")
        return Answers(values, dict.fromkeys(range(count), fault))
    if isinstance(answers, np.ndarray) and answers.shape == (count, classes) and answers.dtype.kind in "fiub":
        values[:] = answers
        sound = np.isfinite(values).all(axis=1) & (values >= 0).all(axis=1) & (values.sum(axis=1) > 0)
        suspects = np.flatnonzero(~sound).tolist()
    else:
        suspects = list(range(count))
    for number in suspects:
        try:
            values[number] = _checked_row(victim, answers[number], classes)  # type: ignore[index]
        except VictimError as error:
            errors[number] = error
        except LookupError:  # a dictionary, a data frame
            errors[number] = VictimError(f"{victim} gave a {type(answers).__name__}; it must give one row a text")
    return Answers(values, errors)


def _checked_row(victim: str, answer: ArrayLike | VictimError, classes: int) -> Floats:
    if isinstance(answer, VictimError):
        raise answer
    try:
        row = np.asarray(answer, dtype=np.float32)
    except Exception:  # whatever a foreign object raises when it is read as numbers
        raise VictimError(f"{victim} answered {answer!r:.80}; expected {classes} numbers") from None
    if row.shape != (classes,):
        raise VictimError(
            f"{victim} answered with shape {row.shape}; expected {classes} probabilities, one a class"
        )
    if not np.isfinite(row).all():
        raise VictimError(f"{victim} answered {row.tolist()}; a probability is not a finite number")
    if (row < 0).any() or row.sum() <= 0:
        raise VictimError(f"{victim} answered {row.tolist()}; probabilities must be non-negative")
    return row
