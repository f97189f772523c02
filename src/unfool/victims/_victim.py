"""The bases of victims: of all, and of those asked with strings; and what counts as an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unfool.engine import Answers, Floats, Later, PendingAnswers
from unfool.errors import UserError, VictimError
from unfool.text import Variants

Input = tuple[str, ...]
"""A rendered text: one string, or two for a pair."""
EMPTY_TEXT: Input = ("",)
EMPTY_PAIR: Input = ("", "")

OFF_ONE = 1e-3
"""How far from one the sum of probabilities may be; such rows are left as they are."""
_NOISE = 1e-6
PLAIN_TEXTS = ("A good film.", "The weather was bad yesterday.", "I do not know what to say about it.")
"""What any classifier can read: one that answers nonsense about these, too, does so always."""
_SHOWN_NUMBERS, _SHOWN_CHARACTERS = 8, 40


class Victim(ABC):
    """Base of victims: what the engine asks of one, with defaults that suit most.

    A subclass gives `labels`, `rows`, `launch`, `check` and a repr.
    """

    labels: tuple[str, ...]
    decimals = 6
    """Places of a probability that do not move with the batch's shape."""
    approximate = False
    """Whether the search runs at less than full precision, so that a success needs a check at once."""
    unknown = "[UNK]"
    """A word that means nothing to the victim."""
    device: Any = None
    """Where the net lives, if there is one."""
    fingerprint: str | None = None
    """What the victim is made of, in one line; None if that cannot be told."""
    queries_a_text = 1

    @property
    def in_half(self) -> bool:
        """Whether the search runs in half precision, be its successes checked at once or not."""
        return self.approximate

    @property
    def account(self) -> str:
        """What asking it has cost so far and how sure it was, in one line; empty if there is nothing to tell."""
        return ""

    @property
    def vocabulary(self) -> Sequence[str]:
        """The words the victim knows; empty if it has no list of them."""
        return ()

    @abstractmethod
    def rows(self, asked: Sequence[Variants]) -> Any:
        """Turn what several samples ask into the victim's own rows."""

    @abstractmethod
    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start answering about some of the rows."""

    @abstractmethod
    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start answering about rendered texts from scratch, at full precision."""

    def confirm(self, inputs: Sequence[Input]) -> Answers:
        """`check`, and wait."""
        return self.check(inputs).result()


class StringRows:
    """Rendered texts; two are the same row when their strings are."""

    def __init__(self, inputs: Sequence[Input]) -> None:
        self.inputs = inputs

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """One key a text."""
        return np.array([hash(strings) for strings in self.inputs], dtype=np.int64).view(np.uint64)


class TextVictim(Victim):
    """Base of victims that take strings; a subclass gives `labels`, `probabilities` and a repr."""

    vocabulary: Sequence[str] = ()
    _makes_sense = False
    """Whether it ever gave an answer that could be used."""

    @abstractmethod
    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
        """Return one row of class probabilities a text; a `VictimError` in place of a row that failed."""

    def rows(self, asked: Sequence[Variants]) -> StringRows:
        """Render what the samples ask."""
        return StringRows([text.strings for variants in asked for text in variants])

    def launch(self, rows: StringRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Ask about some of the rows; the work is done when the answer is fetched."""
        return Later(partial(self.confirm, [rows.inputs[number] for number in chosen.tolist()]))

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Ask again about rendered texts."""
        return self.launch(StringRows(inputs), np.arange(len(inputs)))

    def confirm(self, inputs: Sequence[Input]) -> Answers:
        """Ask about rendered texts, and wait."""
        return self.judged(self.probabilities(inputs) if inputs else [], inputs)

    def judged(self, answers: ArrayLike | Sequence[ArrayLike | VictimError], inputs: Sequence[Input]) -> Answers:
        """Accept what can be used; end the run if the first answers, and those about plain texts, cannot.

        Raises:
            UserError: They cannot; the message shows the first.
        """
        found = self._checked(answers, inputs)
        if self._makes_sense or not inputs:
            return found
        self._makes_sense = len(found.errors) < len(inputs)
        if _all_unusable(found):
            plain_inputs = [(text,) * len(inputs[0]) for text in PLAIN_TEXTS]
            if _all_unusable(self._checked(self.probabilities(plain_inputs), plain_inputs)):
                raise UserError(str(found.errors[0]))
        return found

    def _checked(self, answers: ArrayLike | Sequence[ArrayLike | VictimError], inputs: Sequence[Input]) -> Answers:
        return checked(repr(self), answers, len(inputs), len(self.labels), inputs)


def plain(inputs: Sequence[Input]) -> list[str] | list[Input]:
    """Return rendered texts as people's own code wants them: single texts as strings, pairs as tuples."""
    if all(len(strings) == 1 for strings in inputs):
        return [strings[0] for strings in inputs]
    return list(inputs)


class Unusable(VictimError):
    """A victim answered, and what it said is no answer, such as one of the wrong shape."""


class NoProbabilities(Unusable):
    """A victim answered with numbers that are no probabilities."""


def _all_unusable(answers: Answers) -> bool:
    return all(isinstance(answers.errors.get(number), Unusable) for number in range(len(answers.values)))


def checked(
    victim: str,
    answers: ArrayLike | Sequence[ArrayLike | VictimError],
    count: int,
    classes: int,
    inputs: Sequence[Input] = (),
) -> Answers:
    """Accept only what a classifier may answer; every other row becomes a `VictimError` that names it.

    Args:
        victim: The victim's name, for messages.
        answers: What it said.
        count: How many texts it was asked about.
        classes: How many labels it has.
        inputs: The texts, for messages.
    """
    values: Floats = np.zeros((count, classes), dtype=np.float32)
    errors: dict[int, VictimError] = {}
    try:
        require_one_each(victim, answers, count)
    except Unusable as fault:
        return Answers(values, dict.fromkeys(range(count), fault))
    if isinstance(answers, np.ndarray) and answers.shape == (count, classes) and answers.dtype.kind in "fiub":
        values[:] = answers
        suspects = np.flatnonzero(~_are_probabilities(values)).tolist()
    else:
        suspects = list(range(count))
    for number in suspects:
        about = _excerpt(inputs[number]) if inputs else ""
        try:
            values[number] = _checked_row(victim, answers[number], classes, about)  # type: ignore[index]
        except VictimError as error:
            errors[number] = error
        except LookupError:  # a dictionary, a data frame
            errors[number] = Unusable(f"{victim} gave a {type(answers).__name__}; it must give one row a text")
    return Answers(values, errors)


def require_one_each(victim: str, answers: Any, count: int) -> None:
    """Raise `Unusable` unless there are as many answers as texts."""
    try:
        given = len(answers)
    except TypeError:
        given = -1
    if given != count:
        said = f"{given} answers" if given >= 0 else f"a {type(answers).__name__}"
        raise Unusable(f"{victim} gave {said} for {count} texts; it must give one row a text")


def _are_probabilities(rows: Floats) -> NDArray[np.bool_]:
    # What is no number fails every comparison.
    inside = ((rows >= -_NOISE) & (rows <= 1 + _NOISE)).all(axis=-1)
    with np.errstate(invalid="ignore"):  # infinities of both signs
        return np.asarray(inside & (abs(rows.sum(axis=-1, dtype=np.float64) - 1) <= OFF_ONE))


def _checked_row(victim: str, answer: ArrayLike | VictimError, classes: int, about: str) -> Floats:
    if isinstance(answer, VictimError):
        raise answer
    try:
        with np.errstate(over="ignore"):
            row = np.asarray(answer, dtype=np.float32)
    except Exception:  # whatever a foreign object raises when it is read as numbers
        raise Unusable(f"{victim} answered {answer!r:.80}{about}; expected {classes} numbers") from None
    if row.shape != (classes,):
        raise Unusable(
            f"{victim} answered with shape {row.shape}{about}; expected {classes} probabilities, one a class"
        )
    if not _are_probabilities(row):
        shown = ", ".join(f"{number:.4g}" for number in row[:_SHOWN_NUMBERS].tolist())
        cure = ": apply softmax to logits, divide percentages by 100" if np.isfinite(row).all() else ""
        raise NoProbabilities(
            f"{victim} answered [{shown}{', …' if classes > _SHOWN_NUMBERS else ''}]{about}: these are no "
            f"probabilities ({_why_none(row)}); return numbers from 0 to 1 that sum to one{cure}"
        )
    return row


def _why_none(row: Floats) -> str:
    if not np.isfinite(row).all():
        return "one is not a finite number"
    if (row < -_NOISE).any():
        return f"{row.min():.4g} is negative"
    if (row > 1 + _NOISE).any():
        return f"{row.max():.4g} is above one"
    return f"they sum to {row.sum():.4g}"


def _excerpt(strings: Input) -> str:
    text = " ".join(strings)
    return f" for {text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + '…'!r}"
