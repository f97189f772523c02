"""What a word may be replaced by: its nearest neighbours of the same part of speech."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from unfool.attacks.parts import in_case_of
from unfool.lexicon import counter_fitted, tagger, universal

PartOfSpeech = Literal["penn", "universal", "none"]

_NEAREST = 100
_ANY_COSINE = -1.0


@lru_cache(maxsize=200_000)
def replacements(word: str, opens: bool, count: int, pos: PartOfSpeech) -> tuple[str, ...]:
    """Return at most ``count`` neighbours of a word by counter-fitted vectors, nearest first, in its case.

    Args:
        word: The word.
        opens: Whether it is the first of its sentence; the tagger looks at nothing else around it.
        count: How many at most.
        pos: What they must have in common with the word.
    """
    near, _ = counter_fitted().of(word, _NEAREST, _ANY_COSINE)
    words = [in_case_of(word, neighbour) for neighbour in near]
    if pos != "none" and words:
        before = () if opens else ("",)
        tags = [tags[-1] for tags in tagger("textblob")([(*before, each) for each in (word, *words)])]
        if pos == "universal":
            tags = [universal(tag) for tag in tags]
        words = [each for each, tag in zip(words, tags[1:], strict=True) if tag == tags[0]]
    return tuple(words[:count])
