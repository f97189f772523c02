"""Fronts by name. A front is one file and one line here."""

from __future__ import annotations

from typing import Any

from unfool.zoo.fronts.front import Front, Read


def make_front(kind: str, **sizes: Any) -> Front:
    """Make a front with fresh weights.

    Args:
        kind: The name of its class.
        sizes: What its class takes.

    Raises:
        ValueError: If there is no such front.
    """
    from unfool.zoo.fronts.char_cnn import CharCNN
    from unfool.zoo.fronts.front import Vectors

    kinds: dict[str, type[Any]] = {"CharCNN": CharCNN, "Vectors": Vectors}
    if kind == "Elmo":
        from unfool.zoo.fronts.elmo import Elmo

        kinds["Elmo"] = Elmo
    if kind not in kinds:
        raise ValueError(f"there is no front {kind!r}")
    front: Front = kinds[kind](**sizes)
    return front


__all__ = ["Front", "Read", "make_front"]
