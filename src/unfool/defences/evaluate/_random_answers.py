"""Whether a victim answers the same when it is asked again, and what its figures are worth if not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unfool.defences.eot import Randomised
from unfool.defences.evaluate._answers import probabilities
from unfool.engine import Floats, Predictor, Status, answered_labels
from unfool.runs import Run
from unfool.text import Sample, Text


class Repeated(NamedTuple):
    """Texts asked several times."""

    texts: int
    times: int
    changed_label: int
    """Texts that did not get the same label each time."""
    changed_at_all: int
    """Texts whose probabilities moved."""

    @property
    def random(self) -> bool:
        """Whether answers move at all."""
        return self.changed_at_all > 0


class HeldAgain(NamedTuple):
    """An attack's texts, asked anew."""

    successes: int
    held: float
    """The mean share of repetitions in which a success fools again."""
    accuracy: float
    """The expected accuracy on the texts the attack ended with, a fresh answer for each, over all samples."""


def draws(victim: Predictor, times: int, seen: int = 0) -> list[Predictor]:
    """Return a victim several times over; where it says how its answers are drawn, with other draws each time.

    Args:
        victim: The victim.
        times: How often.
        seen: So many draws are left out, the first ones.
    """
    if isinstance(victim, Randomised):
        return [victim.draw(seen + number) for number in range(1, times + 1)]
    return [victim] * times


def repeat(victim: Predictor, samples: Sequence[Sample], times: int) -> Repeated:
    """Ask about texts several times."""
    answers = [probabilities(draw, [sample.text for sample in samples]) for draw in draws(victim, times)]
    first = answers[0]
    label = np.any([answered_labels(a) != answered_labels(first) for a in answers], axis=0)
    # Answers are rounded where they are given, but one on the edge may fall to either side.
    slack = 10.0**-victim.decimals * 1.5
    moved = np.any([np.abs(a - first).max(axis=1) > slack for a in answers], axis=0)
    return Repeated(len(samples), times, int(label.sum()), int((moved | label).sum()))


def held_again(victim: Predictor, run: Run, times: int, eot: int = 1) -> HeldAgain:
    """Ask anew about the texts a run ended with.

    Args:
        victim: The victim.
        run: The run.
        times: How often.
        eot: How many draws the attack saw the mean of: it made its texts for these, so others are asked.
    """
    fresh = draws(victim, times, seen=eot if eot > 1 else 0)
    outcomes = list(run.outcomes())
    texts = [
        Text.from_fields(dict(zip(outcome.field_names, outcome.perturbed, strict=True))) for outcome in outcomes
    ]
    gold = np.array([outcome.label for outcome in outcomes])
    fooled = np.array([outcome.status is Status.SUCCESS for outcome in outcomes])
    wrong: Floats = np.mean([answered_labels(probabilities(draw, texts), gold) != gold for draw in fresh], axis=0)
    return HeldAgain(
        int(fooled.sum()), float(wrong[fooled].mean()) if fooled.any() else 1.0, float(1 - wrong.mean())
    )
