"""A constraint: words keep their part of speech."""

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
    before = list(map(universal, tag_text(original)))
    return [list(map(universal, tag_text(text))) == before for text in texts]
