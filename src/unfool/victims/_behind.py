"""What may stand behind the ``#`` of a victim's name: ``py:module:function#batch=32,threshold=0.9``."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote

from unfool.engine import Predictor
from unfool.errors import UserError
from unfool.settings import read_values, split_settings
from unfool.victims._foreign_code import BATCH


class Behind(NamedTuple):
    """A victim's name without its settings, and these."""

    name: str
    batch: int = BATCH
    threshold: float | None = None
    positive: str | None = None

    def decided(self, victim: Predictor) -> Predictor:
        """Return the victim, deciding by the threshold where there is one."""
        return thresholded(victim, self.threshold, self.positive)


def read_behind(name: str, *, batches: bool = True) -> Behind:
    """Read ``NAME`` or ``NAME#key=value,key=value``; a ``#`` with no setting behind it belongs to the name.

    Args:
        name: The full name.
        batches: Whether the victim is asked with strings, so many a call.

    Raises:
        UserError: An unknown setting, or a value it does not take.
    """
    bare, _, behind = name.rpartition("#")
    if not bare or "=" not in behind:
        return Behind(name)
    known = {**({"batch": int} if batches else {}), "threshold": float, "positive": unquote}
    return Behind(bare, **read_values(repr(name), known, split_settings(behind, name)))


def thresholded(victim: Predictor, threshold: float | None, positive: str | None) -> Predictor:
    """Return the victim, deciding by a threshold where one is given."""
    from unfool.victims._wrapped import Thresholded

    if threshold is None:
        if positive is not None:
            raise UserError(f"{victim!r}: positive={positive} says whose threshold it is; give threshold=0.9, too")
        return victim
    return Thresholded(victim, threshold, positive)
