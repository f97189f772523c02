"""Grammar and spelling."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.attacks.constraints._compare import editable_string
from unfool.engine import Ask
from unfool.lexicon.grammar import Mistakes, grammar_checker
from unfool.text import Text


@constraint(cost=2, opens=grammar_checker, language="English")
async def grammar(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
    """No new mistakes of grammar or spelling: of no kind more than the original has (Harper)."""
    strings = [editable_string(text) for text in (original, *texts)]
    found: list[Mistakes] = await ask.use(grammar_checker(), strings)
    return [mistakes <= found[0] for mistakes in found[1:]]
