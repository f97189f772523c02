"""A constraint with a limit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.engine import Ask
from unfool.text import Text


@constraint(between=(1, math.inf))
async def short_words(ask: Ask, original: Text, texts: Sequence[Text], *, at_most: float) -> list[bool]:
    """No word has more letters than this."""
    return [all(len(word) <= at_most for word in text.words) for text in texts]
