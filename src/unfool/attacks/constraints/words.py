"""A constraint: how many of the words may change."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.engine import Ask, Budget
from unfool.text import Text, diff


@constraint()
async def words(ask: Ask, original: Text, texts: Sequence[Text], *, at_most: float) -> list[bool]:
    """At most this share of the editable words changes."""
    return [Budget(words=at_most).covers(original, diff(original, text)) for text in texts]
