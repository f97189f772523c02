"""Words made of characters: a stream of characters with a mark before each word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from unfool.text import Text
from unfool.victims._unit_store import Whole
from unfool.zoo.encoders._ids import UNKNOWN
from unfool.zoo.encoders._pair import joined
from unfool.zoo.encoders._words import split_words

START, FIRST_SYMBOL = 2, 3
_LONGEST_WORD = 35
_RAREST = 3


class CharWords:
    """Words and marks as their characters, in the case they are written in.

    Args:
        alphabet: The known characters; their order gives the token ids, from 3 (0 pads, 1 is unknown, 2 opens a
            word). None for the 256 bytes of UTF-8, which leave nothing unknown.
        max_length: Longer texts lose their end, in characters and marks.
    """

    splices = True
    lead = ""
    prefix: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    vocabulary: Sequence[str] = ()
    unknown = "\u25a1"

    def __init__(self, alphabet: str | None, *, max_length: int = 2048) -> None:
        self.alphabet, self.max_length = alphabet, max_length
        self._ids = {character: number for number, character in enumerate(alphabet or "", start=FIRST_SYMBOL)}

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, max_length: int = 2048) -> CharWords:
        """Take the characters that stand at least three times in some texts."""
        counts: Counter[str] = Counter()
        for text in texts:
            counts.update(text)
        kept = sorted(c for c, count in counts.items() if count >= _RAREST and not c.isspace() and c != cls.unknown)
        return cls("".join(kept), max_length=max_length)

    def __len__(self) -> int:
        return FIRST_SYMBOL + (256 if self.alphabet is None else len(self.alphabet))

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Encode chunks, each by itself."""
        return [[token for word in split_words(chunk) for token in self._word(word.written)] for chunk in chunks]

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Encode rendered texts, cut to the longest length."""
        return [joined(self.pieces(strings), self.max_length) for strings in inputs]

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each character is part of; -1 for none."""
        (whole,) = self.whole([text.strings])
        cut = whole.second if whole.second is not None else len(whole.tokens)
        words: list[int] = []
        for field, (string, kept) in enumerate(zip(text.strings, (cut, len(whole.tokens) - cut), strict=False)):
            origins = [
                text.word_at(field, word.start, word.end)
                for word in split_words(string)
                for _ in self._word(word.written)
            ]
            words += origins[:kept]
        return whole, words

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` makes this encoder of."""
        return {"kind": "char-words", "max_length": self.max_length, "alphabet": self.alphabet}

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> CharWords:
        """Make the encoder that `to_json` wrote."""
        return cls(written["alphabet"], max_length=written["max_length"])

    def _word(self, word: str) -> list[int]:
        if self.alphabet is None:
            symbols = [FIRST_SYMBOL + byte for byte in word.encode("utf-8", "replace")]
        else:
            symbols = [self._ids.get(character, UNKNOWN) for character in word]
        return [START, *symbols[: _LONGEST_WORD - 1]]
