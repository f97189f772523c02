"""How a translator is made and trained."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Recipe(NamedTuple):
    """A net and its training."""

    net: str
    """``lstm`` or ``transformer``."""
    sizes: Mapping[str, Any]
    pieces: int = 8_000
    """How many pieces of words both languages share."""
    batch: int = 2048
    """Tokens a step, padding included; of one language, the longer side counts."""
    lr: float = 1e-3
    warm_up: int = 800
    """Steps until the learning rate is reached; it then falls with the root of the steps."""
    epochs: int = 20
    patience: int = 4
    """Training ends after so many epochs without a better one."""
    minutes: float | None = None
    """No epoch begins that would end later than this; None for no limit."""
