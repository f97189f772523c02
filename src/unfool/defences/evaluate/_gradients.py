"""Whether a victim's gradients are of any use: where they vanish, a net only looks robust to who follows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unfool.engine import Predictor
from unfool.text import Sample
from unfool.victims import Differentiates, GradientRequest, Gradients

_VANISHED = 1e-7


class GradientUse(NamedTuple):
    """What the gradients of some texts are worth."""

    texts: int
    vanished: int
    """Texts whose gradients are nothing, or no numbers."""


def gradient_use(victim: Predictor, samples: Sequence[Sample]) -> GradientUse | None:
    """Look at gradients of the loss on texts; None where the victim offers none."""
    if not isinstance(victim, Differentiates):
        return None
    requests = [GradientRequest(sample.text, sample.label) for sample in samples]
    found: Sequence[Gradients] = victim.gradients.launch(requests).result()
    largest = [float(np.abs(each.gradient).max(initial=0.0)) for each in found]
    return GradientUse(len(samples), sum(not np.isfinite(one) or one < _VANISHED for one in largest))
