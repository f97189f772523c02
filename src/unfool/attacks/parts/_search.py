"""Search: ways to put changes together."""

from __future__ import annotations

from collections.abc import Iterable

from unfool.engine import Ask
from unfool.text import Text


async def apply_in_order(ask: Ask, text: Text, swaps: Iterable[tuple[int, str]]) -> Text:
    """Apply changes one after the other until the victim is fooled; one over the edit budget is left out."""
    for position, word in swaps:
        changed = text.replace(position, word)
        if not ask.allows(changed):
            continue
        text = changed
        if await ask.fooled(text):
            break
    return text
