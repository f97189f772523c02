"""A text as an attack changes it, where no victim says when to stop."""

from __future__ import annotations

from typing import Any

from unfool import perturb

SETTINGS: dict[str, Any] = {"attack": "deepwordbug", "seed": 0, "max_words": 0.5}
"""What every tool may set: the attack with its settings, the seed, and the largest share of words that changes."""


def variants(text: str, count: int, **settings: Any) -> list[str]:
    """Return different variants of a text, no more than so many; fewer where the attack has no more."""
    chosen = {**SETTINGS, **settings}
    return list(perturb(text, chosen["attack"], count, seed=chosen["seed"], max_words=chosen["max_words"]))


def changed(text: str, **settings: Any) -> str:
    """Return a variant of a text; the text itself where the attack finds nothing to change."""
    return next(iter(variants(text, 1, **settings)), text)
