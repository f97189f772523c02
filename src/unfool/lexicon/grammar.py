"""A grammar checker as a service: strings in, counts of mistakes out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from unfool.errors import UserError
from unfool.lexicon._string_service import StringService

Mistakes = Counter[str]
"""How many mistakes of each kind a string has."""


class GrammarChecker(StringService[Mistakes]):
    """Harper, an offline checker of English grammar and spelling."""

    def __init__(self) -> None:
        super().__init__()
        try:
            from harper import Language, Linter
        except ImportError:
            raise UserError("the grammar check needs Harper: pip install 'unfool[grammar]'") from None
        self._linter, self._language = Linter(), Language.PLAINTEXT

    def __repr__(self) -> str:
        return "grammar_checker()"

    def work_out(self, strings: Sequence[str]) -> Iterable[Mistakes]:
        """Count the mistakes in each string."""
        for string in strings:
            yield Counter(lint.lint_kind for lint in self._linter.lint(string, language=self._language))


@cache
def grammar_checker() -> GrammarChecker:
    """Return the grammar checker; its dictionary is built on first use, which takes about a second."""
    return GrammarChecker()
