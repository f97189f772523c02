"""Several victims that answer as one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Later, PendingAnswers, Predictor, Rows
from unfool.errors import UserError, VictimError
from unfool.stats import softmax
from unfool.text import Variants
from unfool.victims._victim import Input, Victim
from unfool.victims._wrapped import searches_in_half

Average = Literal["log-probabilities", "logits"]

SMALLEST_PROBABILITY = 1e-12
# Odd, so that multiplying by it loses no bit; the fraction of the golden ratio, which spreads near keys far apart.
_KEY_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


class EnsembleRows:
    """Each member's own rows of the same texts; the same row only if all members see the same input."""

    def __init__(self, members: Sequence[Rows]) -> None:
        self.members = members

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The members' keys, mixed."""
        mixed = np.zeros_like(self.members[0].keys)
        for rows in self.members:
            mixed = (mixed ^ rows.keys) * _KEY_MULTIPLIER
            mixed ^= mixed >> np.uint64(32)  # or two members' differences could cancel out
        return mixed


class Ensemble(Victim):
    """Victims that answer as one: the softmax of their mean log-probabilities, or of their mean logits.

    Probabilities do not tell the logits they came from, so ``"logits"`` needs members with ``launch_logits`` and
    ``confirm_logits``: like ``launch`` and ``confirm``, with raw logits in `Answers.values`. Such an ensemble has
    both methods, too. A text that any member fails to answer is an error.

    Args:
        victims: The members, at least one; all have the same labels, and their order is the first one's.
        average: What is averaged over them.
    """

    launch_logits: Callable[[EnsembleRows, NDArray[np.intp]], PendingAnswers]
    confirm_logits: Callable[[Sequence[Input]], Answers]

    def __init__(self, victims: Sequence[Predictor], average: Average = "log-probabilities") -> None:
        if not victims:
            raise UserError("an ensemble needs members; give at least one victim")
        if average not in ("log-probabilities", "logits"):
            raise UserError(f"unknown average {average!r}; there is 'log-probabilities' and 'logits'")
        first = victims[0]
        self._victims, self._average = list(victims), average
        self._orders = [_order(first, victim) for victim in victims]
        self._launches = [_capability(victim, "launch", average) for victim in victims]
        self._confirms = [_capability(victim, "confirm", average) for victim in victims]
        if average == "logits":
            # Callers that want logits look whether the methods are there.
            self.launch_logits = partial(self._launch, raw=True)
            self.confirm_logits = partial(self._confirm, raw=True)
        self.labels, self.unknown = first.labels, first.unknown
        self.decimals = min(victim.decimals for victim in victims)
        self.approximate = any(victim.approximate for victim in victims)
        self.device = next((device for victim in victims if (device := getattr(victim, "device", None))), None)
        made_of = [getattr(victim, "fingerprint", None) for victim in victims]
        self.fingerprint = hashlib.sha256(repr(made_of).encode()).hexdigest() if any(made_of) else None

    @property
    def in_half(self) -> bool:
        """Whether the search asks a member in half precision."""
        return any(map(searches_in_half, self._victims))

    @property
    def vocabulary(self) -> Sequence[str]:
        """The words of the first member that has a list of them."""
        return next((victim.vocabulary for victim in self._victims if victim.vocabulary), ())

    def rows(self, asked: Sequence[Variants]) -> EnsembleRows:
        """Prepare the texts for every member."""
        return EnsembleRows([victim.rows(asked) for victim in self._victims])

    def launch(self, rows: EnsembleRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start every member's forward pass."""
        return self._launch(rows, chosen, raw=False)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Ask every member again about rendered texts, when the answer is fetched."""
        return Later(partial(self._confirm, inputs, raw=False))

    def _launch(self, rows: EnsembleRows, chosen: NDArray[np.intp], *, raw: bool) -> PendingAnswers:
        pending = [launch(own, chosen) for launch, own in zip(self._launches, rows.members, strict=True)]
        return Later(lambda: self._mean([member.result() for member in pending], raw=raw))

    def _confirm(self, inputs: Sequence[Input], *, raw: bool) -> Answers:
        return self._mean([confirm(inputs) for confirm in self._confirms], raw=raw)

    def _mean(self, answers: Sequence[Answers], *, raw: bool) -> Answers:
        errors: dict[int, VictimError] = {}
        for member in reversed(answers):
            errors |= member.errors
        values = [member.values[:, order] for member, order in zip(answers, self._orders, strict=True)]
        scores = np.array(values, dtype=np.float64)
        if self._average == "log-probabilities":
            scores = np.log(scores.clip(SMALLEST_PROBABILITY))
        mean = scores.mean(axis=0)
        return Answers((mean if raw else softmax(mean)).astype(np.float32), errors)

    def __repr__(self) -> str:
        return f"Ensemble({self._victims!r}, average={self._average!r})"


def _order(first: Predictor, other: Predictor) -> list[int]:
    """Return the number that each of the first one's labels has with the other; names match in any case."""
    wanted, there = ([name.lower() for name in victim.labels] for victim in (first, other))
    if sorted(wanted) != sorted(there):
        raise UserError(
            f"the members of an ensemble need the same labels: {first!r} has {list(first.labels)}, {other!r} has "
            f"{list(other.labels)}; name them alike (--labels for functions and endpoints, id2label in the "
            "config.json of an hf: folder), or give rules the victims one by one, which are matched to the data"
        )
    return list(range(len(there))) if wanted == there else [there.index(name) for name in wanted]


def _capability(victim: Predictor, verb: str, average: Average) -> Callable[..., Any]:
    """Return the member's method that gives what is averaged."""
    method: Callable[..., Any] | None = getattr(victim, f"{verb}_logits" if average == "logits" else verb, None)
    if method is None:
        raise UserError(
            f"{victim!r} gives no logits to average; ask for log-probabilities: ensemble:A+B, or "
            "average='log-probabilities' in Python"
        )
    return method
