"""The zoo's door for the registry of victims."""

from __future__ import annotations

from unfool.engine import Predictor
from unfool.victims import Options
from unfool.victims._behind import read_behind
from unfool.zoo._names import victim


def open_victim(name: str, options: Options) -> Predictor:
    """Open ``zoo:NAME@DATA``."""
    behind = read_behind(name, batches=False)
    return behind.decided(victim(behind.name, device=options.device, dtype=options.dtype))
