"""A constraint: a language model finds the text nearly as likely as the original."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.engine import Ask
from unfool.lexicon.language_model import language_model
from unfool.text import Text


@constraint(cost=4, between=(0.0, math.inf), opens=language_model, language="English")
async def perplexity(ask: Ask, original: Text, texts: Sequence[Text], *, at_most: float) -> list[bool]:
    """The text's perplexity is at most this many times the original's (SmolLM2, per token)."""
    strings = ["\n".join(text.editable_strings) for text in (original, *texts)]
    before, *after = await ask.use(language_model(), strings)
    most = before + (math.log(at_most) if at_most else -math.inf)
    return [log <= most for log in after]
