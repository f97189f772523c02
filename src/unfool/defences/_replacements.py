"""What SWITCH may put in the place of a word: its nearest words that fit, by vectors of senses or the net's own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from unfool.attacks.parts.propose import in_case_of
from unfool.lexicon import counter_fitted, tagger, universal
from unfool.victims import WordEmbeddings

PartOfSpeech = Literal["penn", "universal", "none"]
Vectors = Literal["counter-fitted", "own"]

_NEAREST = 100
_ANY_COSINE = -1.0
_COSINE_DECIMALS = 5


@lru_cache(maxsize=200_000)
def by_sense(word: str, opens: bool, count: int, pos: PartOfSpeech) -> tuple[str, ...]:
    """Return at most ``count`` neighbours of a word by counter-fitted vectors, nearest first, in its case.

    All that the tagger looks at around the word is whether it ``opens`` its sentence.
    """
    near, _ = counter_fitted().of(word, _NEAREST, _ANY_COSINE)
    return _fitting(word, near, opens, count, pos)


class OwnVectors:
    """The same by a net's own vectors, for words that are one token each; no others have a neighbour.

    Args:
        known: The words and vectors of the net.
    """

    def __init__(self, known: WordEmbeddings) -> None:
        self._known = known
        lengths = np.linalg.norm(known.matrix, axis=1, keepdims=True)
        self._units = known.matrix / np.where(lengths > 0, lengths, 1)
        self._letters = np.array([word.isalpha() for word in known.words])
        self._found: dict[tuple[str, bool, int, PartOfSpeech], tuple[str, ...]] = {}

    def replacements(self, word: str, opens: bool, count: int, pos: PartOfSpeech) -> tuple[str, ...]:
        """Return at most ``count`` neighbours of a word, nearest first, in its case."""
        asked = word, opens, count, pos
        if asked not in self._found:
            self._found[asked] = _fitting(word, self._nearest(word), opens, count, pos)
        return self._found[asked]

    def _nearest(self, word: str) -> list[str]:
        row = self._known.row(word)
        if row is None:
            return []
        cosines = np.round(self._units @ self._units[row], _COSINE_DECIMALS)
        order = np.argsort(-np.where(self._letters, cosines, -np.inf), kind="stable")
        words = [self._known.words[number] for number in order[: _NEAREST + 2].tolist() if self._letters[number]]
        return [other for other in words if other.lower() != word.lower()][:_NEAREST]


def _fitting(word: str, near: Sequence[str], opens: bool, count: int, pos: PartOfSpeech) -> tuple[str, ...]:
    words = [in_case_of(word, neighbour) for neighbour in near]
    if pos != "none" and words:
        before = () if opens else ("",)
        tags = [tags[-1] for tags in tagger("textblob")([(*before, each) for each in (word, *words)])]
        if pos == "universal":
            tags = [universal(tag) for tag in tags]
        words = [each for each, tag in zip(words, tags[1:], strict=True) if tag == tags[0]]
    return tuple(words[:count])
