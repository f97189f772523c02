"""The fronts of nets by name: token vectors as they are, words of characters, ELMo."""

from __future__ import annotations

from typing import Any

from unfool.zoo.fronts.elmo import Elmo
from unfool.zoo.fronts.front import Front, Read, Vectors, stacked, turning
from unfool.zoo.fronts.spelt import CharCNN, SpeltFront

_FRONTS: dict[str, type[Any]] = {front.__name__: front for front in (CharCNN, Elmo, Vectors)}


def make_front(kind: str, **sizes: Any) -> Front:
    """Make a front of a class with fresh weights."""
    if kind not in _FRONTS:
        raise ValueError(f"there is no front {kind!r}")
    front: Front = _FRONTS[kind](**sizes)
    return front


__all__ = ["CharCNN", "Elmo", "Front", "Read", "SpeltFront", "Vectors", "make_front", "stacked", "turning"]
