"""The MiniLM of the package cloneguard with its check for anomalies, as a function for a profile."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from unfool.errors import UserError

labels = ("safe", "injection")


def probabilities(texts: Sequence[str]) -> list[list[float]]:
    """Ask the package about each text; where its check for anomalies alone blocks one, that is certain."""
    rows = []
    for text in texts:
        answer = _classifier().classify(text)
        sure = answer.confidence if answer.verdict != "SAFE" else 1 - answer.confidence
        p = 1.0 if answer.anomaly_flagged else sure
        rows.append([1 - p, p])
    return rows


@cache
def _classifier() -> Any:
    try:
        from cloneguard.mini_semantic import MiniSemanticClassifier
    except ImportError:
        raise UserError("this guard comes with the package cloneguard: pip install cloneguard==0.6.0") from None
    opened = MiniSemanticClassifier()
    if not opened.available:
        raise UserError("cloneguard cannot open its net; it needs more: pip install 'unfool[onnx,torch]'")
    return opened
