"""Victims around another victim: the base of all of them, a threshold (also by name), the mean of several draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable
from urllib.parse import quote, unquote

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Answers, Floats, FunctionService, Later, Pending, PendingAnswers, Predictor, Service
from unfool.errors import UserError, VictimError, did_you_mean
from unfool.settings import read_values, split_settings
from unfool.text import Variants
from unfool.victims._answer_forms import place_of
from unfool.victims._capabilities import CAPABILITIES, Differentiates, GradientRequest, Gradients
from unfool.victims._foreign_code import BATCH
from unfool.victims._victim import Input, Victim

_AHEAD = 0.001
"""How far from one half the answer is at the threshold, so that rounding never makes a tie of it."""
_CHECK_DECIMALS = 5
_LEAST = 1e-9


class WrappedVictim(Victim):
    """A victim around another one, which answers wherever a subclass does not.

    What the inner victim offers beyond answers, such as gradients, the wrapper offers only where `pass_on` is told
    so: most wrappers change what it would mean.

    Attributes:
        inner: The victim inside.
    """

    def __init__(self, inner: Predictor) -> None:
        self.inner = inner
        self.labels, self.unknown = inner.labels, inner.unknown
        self.decimals, self.approximate = inner.decimals, inner.approximate
        self.device = getattr(inner, "device", None)
        self.fingerprint = getattr(inner, "fingerprint", None)
        self.queries_a_text = getattr(inner, "queries_a_text", 1)

    @property
    def in_half(self) -> bool:
        """Whether the search asks the inner victim in half precision."""
        return searches_in_half(self.inner)

    @property
    def account(self) -> str:
        """What asking the inner victim has cost."""
        return getattr(self.inner, "account", "")

    @property
    def vocabulary(self) -> Sequence[str]:
        """The inner victim's words."""
        return self.inner.vocabulary

    def rows(self, asked: Sequence[Variants]) -> Any:
        """Prepare the texts as the inner victim does."""
        return self.inner.rows(asked)

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the inner victim's work."""
        return self.inner.launch(rows, chosen)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start the inner victim's check."""
        return self.inner.check(inputs)

    def pass_on(self, *capabilities: str) -> None:
        """Offer what the inner victim offers of these, as it is."""
        for name in capabilities:
            if isinstance(self.inner, CAPABILITIES[name]):
                setattr(self, name, getattr(self.inner, name))

    def __repr__(self) -> str:
        return repr(self.inner)


class ChainedGradients(NamedTuple):
    """The gradients of a victim that makes other probabilities of the inner victim's: by the chain rule."""

    inner: Service
    ask: Callable[[GradientRequest], GradientRequest]
    """What the inner victim is asked in place of a request."""
    chain: Callable[[GradientRequest, float], tuple[float, float]]
    """Makes of a request and the inner loss what the gradient is multiplied with, and the loss; raw outputs are
    not moved."""

    def launch(self, requests: Sequence[GradientRequest]) -> Pending:
        """Ask the inner service and multiply what it answers."""
        pending = self.inner.launch([self.ask(asked) for asked in requests])
        return pending.then(
            lambda answers: [self._moved(asked, told) for asked, told in zip(requests, answers, strict=True)]
        )

    def _moved(self, asked: GradientRequest, told: Any) -> Any:
        if isinstance(told, Exception) or asked.of != "loss":
            return told
        factor, loss = self.chain(asked, told.loss)
        return told._replace(gradient=told.gradient * np.float32(factor), loss=loss)


class Thresholded(WrappedVictim):
    """A victim that answers the positive label where its probability is at least a threshold, and only there.

    Attacks and figures take the likelier label for the answer, so the probability p of the positive label is moved:
    below the threshold t it becomes 0.499 p / t, from there on 0.501 + 0.499 (p - t) / (1 - t). The order of texts
    stays, and the answer changes where the deployed model's does.

    Gradients of the loss are those of the moved probabilities; raw outputs stay the victim's.

    Args:
        victim: The victim; it has two labels.
        threshold: The least probability of the positive label with which it is the answer.
        positive: The positive label (default: the second).
    """

    def __init__(self, victim: Predictor, threshold: float, positive: str | None = None) -> None:
        super().__init__(victim)
        if len(victim.labels) != 2:
            raise UserError(f"a threshold needs two labels, and {victim!r} has {len(victim.labels)}")
        if not 0 < threshold <= 1:
            raise UserError(f"{victim!r} cannot take threshold={threshold:g}; give a number above 0 and up to 1")
        place = 1 if positive is None else place_of(positive, victim.labels)
        if place is None:
            raise UserError(f"{victim!r} has no label {positive!r}{did_you_mean(str(positive), victim.labels)}")
        self._threshold, self._place = threshold, place
        self.pass_on("attention", "hidden", "embeddings", "characters", "tokenizing")
        if isinstance(victim, Differentiates):
            self.gradients = ChainedGradients(victim.gradients, lambda asked: asked, self._steepness)

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the victim's work."""
        return self._moved(super().launch(rows, chosen), self.decimals)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start the victim's check of rendered texts."""
        return self._moved(super().check(inputs), max(self.decimals, _CHECK_DECIMALS))

    def __repr__(self) -> str:
        positive = "" if self._place else f",positive={quote(self.labels[0])}"
        name = repr(self.inner)
        mark = "," if "=" in name.rpartition("#")[2] and "#" in name else "#"
        return f"{name}{mark}threshold={self._threshold:g}{positive}"

    def _steepness(self, asked: GradientRequest, loss: float) -> tuple[float, float]:
        """Return how much faster the moved probability's logarithm changes than the inner one's, and its loss."""
        own = math.exp(-loss)
        of_positive = asked.label == self._place
        p, t, share = own if of_positive else 1 - own, self._threshold, 0.5 - _AHEAD
        slope = share / ((1 - t) or 1) if p >= t else share / t
        moved = 1 - share * (1 - p) / ((1 - t) or 1) if p >= t else share * p / t
        asked_for = max(moved if of_positive else 1 - moved, _LEAST)
        return slope * own / asked_for, -math.log(asked_for)

    def _moved(self, pending: PendingAnswers, decimals: int) -> PendingAnswers:
        def move(values: Floats) -> Floats:
            # Rounded first: what noise there is would be as much larger as the line is steeper.
            p = np.round(values[:, self._place].astype(np.float64), decimals)
            t, share = self._threshold, 0.5 - _AHEAD
            above = 1 - share * (1 - p) / ((1 - t) or 1)
            moved = np.where(p >= t, above, share * p / t)
            columns = (1 - moved, moved) if self._place else (moved, 1 - moved)
            return np.stack(columns, axis=1).astype(np.float32)

        return changed(pending, move)


class VictimName(NamedTuple):
    """A victim's name without the settings behind its ``#``, and these: ``py:module:function#batch=32``."""

    bare: str
    batch: int = BATCH
    threshold: float | None = None
    positive: str | None = None

    @classmethod
    def read(cls, name: str, *, batches: bool = True) -> VictimName:
        """Read ``NAME`` or ``NAME#key=value,key=value``; a ``#`` with no setting behind it belongs to the name.

        Only victims that are asked with strings, so many a call, take ``batches``.
        """
        bare, _, behind = name.rpartition("#")
        if not bare or "=" not in behind:
            return cls(name)
        known = {**({"batch": int} if batches else {}), "threshold": float, "positive": unquote}
        return cls(bare, **read_values(repr(name), known, split_settings(behind, name)))

    def decided(self, victim: Predictor) -> Predictor:
        """Return the victim, deciding by the threshold if there is one."""
        return thresholded(victim, self.threshold, self.positive)


def searches_in_half(victim: Predictor) -> bool:
    """Whether a search asks a victim in half precision: what a run records, so that it goes on so when resumed."""
    return bool(getattr(victim, "in_half", victim.approximate))


def thresholded(victim: Predictor, threshold: float | None, positive: str | None) -> Predictor:
    """Return the victim, deciding by a threshold if one is given."""
    if threshold is not None:
        return Thresholded(victim, threshold, positive)
    if positive is not None:
        raise UserError(f"{victim!r}: positive={positive} says whose threshold it is; give threshold=0.9, too")
    return victim


@runtime_checkable
class Randomised(Protocol):
    """A victim whose answers are drawn at random, by a seed and the text."""

    def draw(self, number: int) -> Any:
        """Return the same victim with another draw of its randomness; draw 0 is its own."""
        ...


class MeanOfDraws(WrappedVictim):
    """Answers the search with the mean over several draws of a randomised victim; the victim itself checks.

    This is expectation over a defence's randomness (Athalye et al., 2018). None of the draws an attack sees is the
    one that judges its text: a success is not luck with a certain noise.

    Args:
        victim: The randomised victim.
        draws: How many answers are averaged; each counts as a query.
    """

    def __init__(self, victim: Predictor, draws: int) -> None:
        if draws < 2:
            raise UserError(f"a mean needs 2 answers or more, not {draws}; give 2 or more")
        if not isinstance(victim, Randomised):
            raise UserError(
                f"{victim!r} always gives the same answer, so there is nothing to average; --eot is for randomised "
                "victims (five:…, fuse:… and smooth:…)"
            )
        super().__init__(victim)
        self._draws: list[Any] = [victim.draw(number) for number in range(1, draws + 1)]
        self.queries_a_text = draws
        # Checking a success at once would ask the draw that judges, and the search would go on until it falls.
        self.approximate = False
        self.pass_on("embeddings", "characters")
        if isinstance(victim, CAPABILITIES["gradients"]):
            self.gradients = FunctionService(self._gradients)

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start on all draws, which read the same rows."""
        pending = [draw.launch(rows, chosen) for draw in self._draws]
        return Later(lambda: _mean([each.result() for each in pending]))

    def _gradients(self, requests: Sequence[GradientRequest]) -> list[Gradients]:
        answers = [draw.gradients.launch(requests).result() for draw in self._draws]
        return [
            several[0]._replace(
                gradient=np.mean([one.gradient for one in several], axis=0),
                loss=float(np.mean([one.loss for one in several])),
            )
            for several in zip(*answers, strict=True)
        ]


def changed(pending: PendingAnswers, change: Callable[[Floats], Floats]) -> Later[Answers]:
    """Return answers under way whose values are changed when they come."""
    return Later(pending.result).then(lambda answers: answers._replace(values=change(answers.values)))


def _mean(answers: Sequence[Answers]) -> Answers:
    errors: dict[int, VictimError] = {}
    total = np.zeros(answers[0].values.shape)
    for one in reversed(answers):
        errors |= one.errors
        total += one.values
    return Answers((total / len(answers)).astype(np.float32), errors)
