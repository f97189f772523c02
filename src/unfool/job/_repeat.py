"""Whether a victim answers the same when it is asked again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unfool.engine import Answers, Predictor, answered_labels
from unfool.runs import Repeated
from unfool.text import Sample, as_variants
from unfool.victims import Randomised


def draws(victim: Predictor, times: int, seen: int = 0) -> list[Predictor]:
    """Return a victim several times over; a randomised one with other draws each time, behind those ``seen``."""
    if isinstance(victim, Randomised):
        return [victim.draw(seen + number) for number in range(1, times + 1)]
    return [victim] * times


def repeat(victim: Predictor, samples: Sequence[Sample], times: int) -> Repeated:
    """Ask about texts several times; those that the victim does not answer are left out."""
    answers = [_asked(draw, samples) for draw in draws(victim, times)]
    unanswered = set[int]().union(*(each.errors for each in answers))
    kept = [number for number in range(len(samples)) if number not in unanswered]
    first, *later = (np.round(each.values[kept], victim.decimals) for each in answers)
    label, moved = np.zeros((2, len(kept)), dtype=bool)
    # Answers are rounded, but one on the edge may fall to either side.
    slack = 10.0**-victim.decimals * 1.5
    for again in later:
        label |= answered_labels(again) != answered_labels(first)
        moved |= np.abs(again - first).max(axis=1, initial=0.0) > slack
    return Repeated(len(kept), times, int(label.sum()), int((moved | label).sum()))


def _asked(victim: Predictor, samples: Sequence[Sample]) -> Answers:
    if victim.approximate:
        return victim.check([sample.text.strings for sample in samples]).result()
    rows = victim.rows([as_variants(sample.text) for sample in samples])
    return victim.launch(rows, np.arange(len(samples))).result()
