"""A constraint: stop words stay."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.engine import Ask
from unfool.lexicon import kept_words
from unfool.text import Text, diff


@constraint()
async def stop_words(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
    """No stop word of the original is changed or taken out."""
    kept = kept_words(ask.language)
    return [
        not any(word.lower() in kept for change in diff(original, text).changes for word in change.before)
        for text in texts
    ]
