"""What an attack's successes are worth where the victim answers at random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unfool.defences.evaluate._answers import probabilities
from unfool.engine import Floats, Predictor, Status, answered_labels
from unfool.job import draws
from unfool.runs import Run
from unfool.text import Text


class HeldAgain(NamedTuple):
    """An attack's texts, asked anew."""

    successes: int
    held: float
    """The mean share of repetitions in which a success fools again."""
    accuracy: float
    """The expected accuracy on the texts the attack ended with, a fresh answer for each, over all samples."""


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
