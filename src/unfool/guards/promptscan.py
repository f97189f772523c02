"""The nets of the package promptscan, as functions for profiles."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from unfool.errors import UserError

labels = ("safe", "injection")


def cnn(texts: Sequence[str]) -> list[list[float]]:
    """Its convolutional net."""
    return _asked("cnn", texts)


def lstm(texts: Sequence[str]) -> list[list[float]]:
    """Its recurrent net."""
    return _asked("lstm", texts)


def _asked(kind: str, texts: Sequence[str]) -> list[list[float]]:
    return [answer["probabilities"] for answer in _detector(kind).predict_batch(list(texts))]


@cache
def _detector(kind: str) -> Any:
    try:
        from promptscan.unified_detector import UnifiedDetector
    except ImportError:
        raise UserError("this guard comes with the package promptscan: pip install promptscan==0.1.3") from None
    return UnifiedDetector(kind)
