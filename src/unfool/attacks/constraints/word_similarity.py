"""A constraint: new words mean nearly the same as the old ones, as word vectors see it."""

from __future__ import annotations

from collections.abc import Sequence

from unfool.attacks import constraint
from unfool.engine import Ask
from unfool.lexicon import counter_fitted
from unfool.text import Change, Text, diff


@constraint(between=(-1.0, 1.0), opens=lambda: len(counter_fitted().words), language="English")
async def word_similarity(ask: Ask, original: Text, texts: Sequence[Text], *, at_least: float) -> list[bool]:
    """Each new word is this near to the one it replaces, by cosine of counter-fitted vectors.

    A word without a vector is near to itself alone, in any case of its letters; nothing is near to a word that is
    added or taken out.
    """
    return [all(_near(change, at_least) for change in diff(original, text).changes) for text in texts]


def _near(change: Change, at_least: float) -> bool:
    if len(change.before) != len(change.after):
        return False
    return all(_cosine(old, new) >= at_least for old, new in zip(change.before, change.after, strict=True))


def _cosine(old: str, new: str) -> float:
    if old.lower() == new.lower():
        return 1.0
    cosine = counter_fitted().cosine(old, new)
    return -2.0 if cosine is None else cosine
