"""Characters as tokens, spaces among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.text import Text
from unfool.victims import Spelling
from unfool.victims.tokens import Whole
from unfool.zoo.encoders._tokens import UNKNOWN, PlainEncoder, Tokens, spelling
from unfool.zoo.encoders._words import split_words

_FIRST = 2
_RAREST = 3
_UNKNOWN_WORD = "\u25a1"
"""A blank square: in no alphabet made of texts people write."""


class Characters(PlainEncoder):
    """Lower-cased characters; one that is not in the alphabet is unknown.

    Args:
        alphabet: The known characters; their order gives the token ids, from 2 (0 pads, 1 is unknown).
        max_length: Longer texts lose their end.
        words: The words of the training texts; the net reads others as well, but attacks ask which are words.
    """

    lead = " "
    unknown = _UNKNOWN_WORD

    def __init__(self, alphabet: str, *, max_length: int = 1014, words: Sequence[str] = ()) -> None:
        self.alphabet, self.max_length, self.vocabulary = alphabet, max_length, tuple(words)
        self._ids = {character: number for number, character in enumerate(alphabet, start=_FIRST)}

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, max_length: int = 1014) -> Characters:
        """Take the characters that stand at least three times in some texts, and the texts' words."""
        counts: Counter[str] = Counter()
        words: set[str] = set()
        for text in texts:
            counts.update(text.lower())
            words.update(word.normal for word in split_words(text) if word.written.isalnum())
        counts.pop(_UNKNOWN_WORD, None)
        kept = sorted(c for c, count in counts.items() if count >= _RAREST)
        return cls("".join(kept), max_length=max_length, words=sorted(words))

    def __len__(self) -> int:
        return len(self.alphabet) + _FIRST

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Encode chunks, each by itself."""
        return [self._encode(chunk) for chunk in chunks]

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each character is part of; -1 for none."""
        (whole,) = self.whole([text.strings])
        return whole, self.spell(text).words.tolist()

    @cached_property
    def letters(self) -> str:
        """The known characters but white space."""
        return "".join(character for character in self.alphabet if not character.isspace())

    @cached_property
    def letter_ids(self) -> NDArray[np.int64]:
        """The token of each letter."""
        return np.array([self._ids[letter] for letter in self.letters], dtype=np.int64)

    def spell(self, text: Text) -> Spelling:
        """Return the tokens of a text; all of it is one run, behind which there is no room."""
        known: Spelling | None = text.kept.get(self)
        if known is None:
            ids = [self._encode(string) for string in text.strings]
            fields = [
                Tokens.of(row, _places(string), [0] * len(row), [0] * len(row))
                for row, string in zip(ids, text.strings, strict=True)
            ]
            known = text.kept[self] = spelling(text, fields, self.max_length)
        return known

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` makes this encoder of."""
        return {
            "kind": "characters",
            "max_length": self.max_length,
            "alphabet": self.alphabet,
            "words": self.vocabulary,
        }

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> Characters:
        """Make the encoder that `to_json` wrote."""
        return cls(written["alphabet"], max_length=written["max_length"], words=written.get("words", ()))

    def _encode(self, string: str) -> list[int]:
        return [self._ids.get(character, UNKNOWN) for character in string.lower()]


def _places(string: str) -> list[int]:
    """Where each character of the lower-cased string comes from: a few grow to two when lower-cased."""
    return [place for place, character in enumerate(string) for _ in character.lower()]
