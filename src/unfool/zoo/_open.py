"""The zoo's door for the registry of victims."""

from __future__ import annotations

from unfool.engine import Predictor
from unfool.victims import Options
from unfool.zoo._names import victim


def open_victim(name: str, options: Options) -> Predictor:
    """Open ``zoo:NAME@DATA``."""
    return victim(name, device=options.device, dtype=options.dtype)
