"""What a person should know of the cost before an attack that tries every word of a vocabulary."""

from __future__ import annotations

import time

import numpy as np

from unfool.attacks import Attack
from unfool.engine import Predictor
from unfool.errors import VictimError
from unfool.text import Sample, Variants

_MEASURED = 64
_WORTH_TELLING_S = 60.0


def told_cost(victim: Predictor, recipe: Attack, samples: int, sample: Sample) -> str | None:
    """Say how long the whole vocabulary may take, and what asks less; None where it is not tried, or is soon done.

    Args:
        victim: The victim.
        recipe: The attack.
        samples: How many texts are attacked.
        sample: One of them, by which the victim's pace is measured.
    """
    if not recipe.tries_every_word or not victim.vocabulary or not sample.text.editable:
        return None
    pace = _answers_a_second(victim, sample)
    if pace is None:
        return None
    seconds = samples * len(victim.vocabulary) / pace
    if seconds < _WORTH_TELLING_S:
        return None
    return (
        f"{recipe.name} may ask about all {len(victim.vocabulary):,} words the victim knows, for each text: up to "
        f"{_spelt(seconds)} for {samples:,} texts, at {pace:,.0f} answers a second; "
        f"--attack {recipe.name}:candidates=200 tries 200 words a text"
    )


def _answers_a_second(victim: Predictor, sample: Sample) -> float | None:
    """Return the victim's pace with variants of a text; None where it does not answer."""
    words = list(victim.vocabulary[:_MEASURED])
    swaps = sample.text.variants([sample.text.editable[0]] * len(words), words)
    try:
        _ask(victim, swaps.take([0]))  # the first answer of all takes longer
        began = time.perf_counter()
        _ask(victim, swaps)
    except VictimError:
        return None
    return len(words) / max(time.perf_counter() - began, 1e-6)


def _ask(victim: Predictor, swaps: Variants) -> None:
    victim.launch(victim.rows([swaps]), np.arange(len(swaps))).result()


def _spelt(seconds: float) -> str:
    """Return a long time in round words."""
    for size, unit in ((86_400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:,.0f} seconds"
