"""A constraint: no new mistakes of grammar or spelling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from unfool.attacks import constraint
from unfool.engine import Ask
from unfool.errors import not_installed
from unfool.lexicon import StringService
from unfool.text import Text

Mistakes = Counter[str]
"""How many mistakes of each kind a string has."""


class GrammarChecker(StringService[Mistakes]):
    """Harper, an offline checker of English grammar and spelling."""

    def __init__(self) -> None:
        super().__init__()
        try:
            from harper import Language, Linter
        except ImportError:
            raise not_installed("the grammar check needs Harper", "grammar") from None
        self._linter, self._language = Linter(), Language.PLAINTEXT

    def __repr__(self) -> str:
        return "grammar_checker()"

    def work_out(self, strings: Sequence[str]) -> Iterable[Mistakes]:
        """Count the mistakes in each string."""
        for string in strings:
            yield Counter(lint.lint_kind for lint in self._linter.lint(string, language=self._language))


@cache
def grammar_checker() -> GrammarChecker:
    """Return the grammar checker, whose dictionary takes about a second to build."""
    return GrammarChecker()


@constraint(cost=2, opens=grammar_checker, language="English")
async def grammar(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
    """No new mistakes of grammar or spelling: of no kind more than the original has (Harper)."""
    strings = ["\n".join(text.editable_strings) for text in (original, *texts)]
    found: list[Mistakes] = await ask.use(grammar_checker(), strings)
    return [mistakes <= found[0] for mistakes in found[1:]]
