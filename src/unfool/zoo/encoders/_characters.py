"""Characters as tokens, spaces among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from unfool.text import Text
from unfool.victims._unit_store import Whole
from unfool.zoo.encoders._ids import UNKNOWN
from unfool.zoo.encoders._pair import joined

_FIRST = 2
_RAREST = 3
_UNKNOWN_WORD = "\u25a1"
"""A blank square: in no alphabet made of texts people write."""


class Characters:
    """Lower-cased characters; one that is not in the alphabet is unknown.

    Args:
        alphabet: The known characters; their order gives the token ids, from 2 (0 pads, 1 is unknown).
        max_length: Longer texts lose their end.
    """

    splices = True
    lead = " "
    prefix: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    vocabulary: Sequence[str] = ()
    unknown = _UNKNOWN_WORD

    def __init__(self, alphabet: str, *, max_length: int = 1014) -> None:
        self.alphabet, self.max_length = alphabet, max_length
        self._ids = {character: number for number, character in enumerate(alphabet, start=_FIRST)}

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, max_length: int = 1014) -> Characters:
        """Take the characters that stand at least three times in some texts."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(text.lower())
        counts.pop(_UNKNOWN_WORD, None)
        return cls("".join(sorted(c for c, count in counts.items() if count >= _RAREST)), max_length=max_length)

    def __len__(self) -> int:
        return len(self.alphabet) + _FIRST

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Encode chunks, each by itself."""
        return [self._encode(chunk) for chunk in chunks]

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Encode rendered texts, cut to the longest length."""
        return [joined([self._encode(string) for string in strings], self.max_length) for strings in inputs]

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each character is part of; -1 for none."""
        (whole,) = self.whole([text.strings])
        cut = whole.second if whole.second is not None else len(whole.tokens)
        kept = (cut, len(whole.tokens) - cut)
        words = [
            text.word_at(field, start, start + 1)
            for field, string in enumerate(text.strings)
            for start in _places(string)[: kept[field]]
        ]
        return whole, words

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` makes this encoder of."""
        return {"kind": "characters", "max_length": self.max_length, "alphabet": self.alphabet}

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> Characters:
        """Make the encoder that `to_json` wrote."""
        return cls(written["alphabet"], max_length=written["max_length"])

    def _encode(self, string: str) -> list[int]:
        return [self._ids.get(character, UNKNOWN) for character in string.lower()]


def _places(string: str) -> list[int]:
    """Where each character of the lower-cased string comes from: a few grow to two when lower-cased."""
    return [place for place, character in enumerate(string) for _ in character.lower()]
