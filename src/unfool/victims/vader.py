"""VADER, a sentiment lexicon with rules, as a victim: ``py:unfool.victims.vader:probabilities``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.errors import not_installed

labels = ("negative", "positive")


def probabilities(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return (1 - c) / 2 and (1 + c) / 2 for VADER's compound score c of each text."""
    scores = _analyzer().polarity_scores
    compound = np.array([scores(text)["compound"] for text in texts], dtype=np.float64)
    return np.stack([1 - compound, 1 + compound], axis=1) / 2


@cache
def _analyzer() -> Any:
    try:
        from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer
    except ImportError:
        raise not_installed("VADER is not installed", "vader") from None
    return SentimentIntensityAnalyzer()
