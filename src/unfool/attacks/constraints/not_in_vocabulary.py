"""A constraint: new words are no words that exist, so that typos stay typos."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.engine import Ask
from unfool.lexicon import counter_fitted
from unfool.text import Text, diff


@constraint()
async def not_in_vocabulary(ask: Ask, original: Text, texts: Sequence[Text]) -> list[bool]:
    """No new word is one that exists: a typo must not make another word (Ebrahimi et al., 2018).

    A word exists if it is in the victim's vocabulary, in any case of its letters; where the victim has none, if it
    has a counter-fitted vector.
    """
    exists = ask.knows if ask.vocabulary else counter_fitted().__contains__
    return [
        not any(exists(word) for change in diff(original, text).changes for word in change.after) for text in texts
    ]
