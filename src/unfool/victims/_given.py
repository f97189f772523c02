"""What people have in their hands as a victim, with its labels in the order of the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, Later, Pending, PendingAnswers, Predictor, Service
from unfool.errors import UserError
from unfool.labels import label_order
from unfool.options import Options
from unfool.victims._capabilities import Differentiates, Summarises, Zeroes
from unfool.victims._function import callable_victim
from unfool.victims._kinds import open_victim
from unfool.victims._pipelines import pipeline_of
from unfool.victims._victim import Input
from unfool.victims._wrapped import Randomised, WrappedVictim, changed


def as_victim(given: Any, options: Options | None = None, labels: Sequence[str] = ()) -> Predictor:
    """Return the victim that something is, or that can be made of it.

    Args:
        given: A victim's name, a victim, a function from texts to answers, a text-classification pipeline of
            transformers, or a fitted classifier of scikit-learn that takes texts.
        options: How to open a name; of the other things, labels go with a function.
        labels: The data's labels: the victim's are put in this order, its extra ones behind (default: as they are).

    Raises:
        UserError: It is nothing of the kind.
    """
    return in_label_order(_as_it_is(given, options or Options()), labels)


def in_label_order(victim: Predictor, labels: Sequence[str]) -> Predictor:
    """Return a victim whose labels are in the order of the data's, its extra ones behind.

    A victim that has them so, or has fewer labels than the data, is returned as it is.

    Args:
        victim: The victim.
        labels: The data's labels; they are matched by name, else by number, else in order. None leave it as it is.
    """
    if not labels:
        return victim
    own = victim.inner if isinstance(victim, LabelsInOrder) else victim
    order = label_order(labels, own.labels) if len(labels) <= len(own.labels) else None
    return LabelsInOrder(own, order) if order else own


def own_labels(victim: Predictor) -> tuple[str, ...]:
    """Return a victim's labels in its own order, whatever order they were put in."""
    if isinstance(victim, WrappedVictim) and (
        isinstance(victim, LabelsInOrder) or victim.labels == victim.inner.labels
    ):
        return own_labels(victim.inner)
    return victim.labels


class LabelsInOrder(WrappedVictim):
    """A victim with its labels in another order: answers have their columns in it, requests are numbered by it.

    Args:
        victim: The victim.
        order: The victim's own number of each label.
    """

    def __init__(self, victim: Predictor, order: Sequence[int]) -> None:
        super().__init__(victim)
        self.labels = tuple(victim.labels[number] for number in order)
        self._order = np.array(order)
        self.pass_on("attention", "hidden", "embeddings", "characters", "tokenizing")
        self.reads_last_token = getattr(victim, "reads_last_token", False)
        if isinstance(victim, Differentiates):
            self.gradients = _Translated(
                victim.gradients, asked=lambda asked: asked._replace(label=order[asked.label])
            )
        if isinstance(victim, Zeroes):
            self.zeroed = _Translated(victim.zeroed, told=self._columns)
        if isinstance(victim, Summarises):
            self.summaries = _Translated(
                victim.summaries, told=lambda told: told._replace(answers=self._columns(told.answers))
            )
        inner: Any = victim
        if hasattr(inner, "launch_logits"):
            self.launch_logits = lambda rows, chosen: changed(inner.launch_logits(rows, chosen), self._columns)
        if hasattr(inner, "confirm_logits"):
            self.confirm_logits = lambda inputs: changed(
                Later.of(inner.confirm_logits(inputs)), self._columns
            ).result()
        if isinstance(victim, Randomised):
            self.draw = lambda number: LabelsInOrder(inner.draw(number), order)

    def launch(self, rows: Any, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start the victim's work."""
        return changed(super().launch(rows, chosen), self._columns)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start the victim's check of rendered texts."""
        return changed(super().check(inputs), self._columns)

    def _columns(self, values: Floats) -> Floats:
        return values[:, self._order]


class _Translated(NamedTuple):
    """A victim's service, asked and answering with other numbers for the labels."""

    service: Service
    asked: Callable[[Any], Any] = lambda request: request
    told: Callable[[Any], Any] = lambda answer: answer

    def launch(self, requests: Sequence[Any]) -> Pending:
        pending = self.service.launch([self.asked(request) for request in requests])
        return Later(
            lambda: [answer if isinstance(answer, Exception) else self.told(answer) for answer in pending.result()]
        )


def _as_it_is(given: Any, chosen: Options) -> Predictor:
    if isinstance(given, str):
        return open_victim(given, chosen)
    if hasattr(given, "launch"):
        victim: Predictor = given
        return victim
    if pipeline := pipeline_of(given):
        return pipeline
    if hasattr(given, "parameters") and hasattr(given, "forward"):
        raise UserError(
            f"a {type(given).__name__} takes tokens, not texts; save it with its tokenizer and give hf:FOLDER, "
            "or give a function from a list of texts to rows of probabilities"
        )
    if callable(given) and not isinstance(given, type):
        return callable_victim(given, chosen.labels)
    if hasattr(given, "fit") and hasattr(given, "predict"):
        raise UserError(f"the {type(given).__name__} is no fitted classifier of one label a text; fit it first")
    raise UserError(
        f"{given!r:.80} is no victim; give a name, such as hf:FOLDER, a function from texts to probabilities, "
        "a transformers pipeline or a fitted scikit-learn pipeline"
    )
