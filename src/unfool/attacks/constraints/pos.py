"""Part of speech."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.attacks.parts.propose import tag_text
from unfool.engine import Ask
from unfool.lexicon import universal
from unfool.text import Text


@constraint(cost=1, language="English")
async def pos(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
    """Every word keeps its part of speech (universal tags); so none is added or taken out."""
    tags = tag_text(original)
    return [len(text) == len(original) and _same(tags, tag_text(text)) for text in texts]


def _same(before: Sequence[str], after: Sequence[str]) -> bool:
    return all(old == new or universal(old) == universal(new) for old, new in zip(before, after, strict=True))
