"""What a victim answers about labelled texts, and the figures of that, over the whole set at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from unfool.engine import Answers as Answered
from unfool.engine import Floats, PendingAnswers, Predictor, answered_labels
from unfool.labels import check_labels
from unfool.stats import Rate
from unfool.text import Sample, Text, as_variants
from unfool.victims import in_label_order

_AT_ONCE = 4096


@dataclass(frozen=True)
class Answers:
    """A victim's answers, numbered as the data's labels; -1 where it gave none of them."""

    gold: tuple[int, ...]
    given: tuple[int, ...]
    classes: int

    @property
    def right(self) -> list[bool]:
        """Whether each answer is right."""
        return [gold == given for gold, given in zip(self.gold, self.given, strict=True)]

    @property
    def accuracy(self) -> Rate:
        """The share of right answers."""
        return Rate(sum(self.right), len(self.gold))

    @property
    def macro_f1(self) -> float:
        """The mean over the labels of F1, computed once over all texts.

        Taken batch by batch and averaged, as some studies do, it depends on how the texts are batched.
        """
        gold, given = np.array(self.gold), np.array(self.given)
        scores = []
        for label in range(self.classes):
            both, either = (
                ((gold == label) & (given == label)).sum(),
                (gold == label).sum() + (given == label).sum(),
            )
            if either:
                scores.append(2 * both / either)
        return float(np.mean(scores)) if scores else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return {"gold": list(self.gold), "given": list(self.given), "classes": self.classes}

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> Answers:
        """Return the answers `to_json` described."""
        return cls(tuple(plain["gold"]), tuple(plain["given"]), plain["classes"])


def ask_labels(victim: Predictor, samples: Iterable[Sample], labels: Sequence[str]) -> Answers:
    """Ask a victim about samples whose labels are numbered as ``labels``; a tie is not wrong."""
    check_labels("the data", labels, repr(victim), victim.labels)
    victim = in_label_order(victim, labels)
    gold: list[int] = []
    given: list[int] = []
    source = iter(samples)
    while some := list(islice(source, _AT_ONCE)):
        right = [sample.label for sample in some]
        answers = answered_labels(probabilities(victim, [sample.text for sample in some]), right)
        gold += right
        given += [answer if answer < len(labels) else -1 for answer in answers.tolist()]
    return Answers(tuple(gold), tuple(given), len(labels))


def probabilities(victim: Predictor, texts: Sequence[Text]) -> Floats:
    """Ask about texts at full precision; what the victim cannot answer raises its error."""
    if victim.approximate:
        return _sound(victim.check([text.strings for text in texts])).values
    return searched(victim, texts)


def searched(victim: Predictor, texts: Sequence[Text]) -> Floats:
    """Ask about texts as a search does, in full batches and in its precision."""
    rows = victim.rows([as_variants(text) for text in texts])
    return np.round(_sound(victim.launch(rows, np.arange(len(texts)))).values, victim.decimals)


def _sound(pending: PendingAnswers) -> Answered:
    answers = pending.result()
    for error in answers.errors.values():
        raise error
    return answers
