"""The names of a victim's classes, where the victim itself need not say them."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.errors import UserError


def label_names(victim: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Return label names as they are kept; an error where they cannot name classes."""
    names = tuple(map(str, labels))
    if isinstance(labels, str) or len(names) < 2 or len(set(names)) < len(names):
        raise UserError(f"labels {labels!r} for {victim}: give at least two different names, one a class")
    return names


def numbered_labels(classes: int) -> tuple[str, ...]:
    """Return names for classes nobody named: their numbers."""
    return tuple(map(str, range(classes)))
