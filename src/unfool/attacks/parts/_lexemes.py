"""Words that are forms of one another."""

from __future__ import annotations

from functools import lru_cache

from unfool.lexicon import wordnet

_PARTS_OF_SPEECH = "nvar"
_BEFORE, _BEHIND = ("un",), ("s", "ing", "ed")


@lru_cache(maxsize=200_000)
def same_lexeme(first: str, second: str) -> bool:
    """Whether two words share a base form in WordNet, or one is the other with *un-*, *-s*, *-ing* or *-ed*.

    The affixes are the released HotFlip code's whole rule; *un-* makes another lexeme, but the opposite one.
    """
    a, b = sorted((first.lower(), second.lower()), key=len)
    affixed = {before + a for before in _BEFORE} | {a + behind for behind in _BEHIND}
    return b in affixed or a == b or bool(_bases(a) & _bases(b))


def _bases(word: str) -> set[str]:
    return {base for pos in _PARTS_OF_SPEECH for base in wordnet().base_forms(word, pos)}
