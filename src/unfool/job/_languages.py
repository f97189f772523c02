"""Texts in a language that an attack, or a constraint, does not read."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import Attack, Constraint
from unfool.data import Dataset
from unfool.runs import OtherLanguage
from unfool.text import guess_language


def other_language(recipe: Attack, rules: Sequence[object], texts: Dataset) -> OtherLanguage | None:
    """Return what reads another language than the texts are in; None where nothing does, or it cannot be told."""
    parts = (part for part in (recipe, *rules) if isinstance(part, (Attack, Constraint)))
    reader = next((part for part in parts if part.language), None)
    if reader is None or reader.language is None:
        return None
    found = guess_language(" ".join(sample.text.strings) for sample in texts)
    return OtherLanguage(reader.name, reader.language, found) if found and found != reader.language else None
