"""Words made of characters: a stream of characters with a mark before each word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import count
from string import printable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.text import Text
from unfool.victims import Spelling
from unfool.victims._unit_store import Whole
from unfool.zoo.encoders._ids import PAD, UNKNOWN
from unfool.zoo.encoders._pair import joined
from unfool.zoo.encoders._spelling import Tokens, spelling
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
        words: The words of the training texts; the net reads others as well, but attacks ask which are words.
    """

    splices = True
    lead = ""
    prefix: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    unknown = "\u25a1"
    pad = PAD

    def __init__(self, alphabet: str | None, *, max_length: int = 2048, words: Sequence[str] = ()) -> None:
        self.alphabet, self.max_length, self.vocabulary = alphabet, max_length, tuple(words)
        self._ids = {character: number for number, character in enumerate(alphabet or "", start=FIRST_SYMBOL)}

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, max_length: int = 2048, bytes_only: bool = False) -> CharWords:
        """Take the characters that stand at least three times in some texts, or all bytes, and the texts' words."""
        counts: Counter[str] = Counter()
        words: set[str] = set()
        for text in texts:
            counts.update(text)
            words.update(word.normal for word in split_words(text) if word.written.isalnum())
        kept = sorted(c for c, seen in counts.items() if seen >= _RAREST and not c.isspace() and c != cls.unknown)
        return cls(None if bytes_only else "".join(kept), max_length=max_length, words=sorted(words))

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
        spelt = self.spell(text)
        return whole, spelt.words[spelt.ids != PAD].tolist()

    @cached_property
    def letters(self) -> str:
        """The characters that do not cut a word in two; of the bytes, those that are one by themselves."""
        known = printable if self.alphabet is None else self.alphabet
        return "".join(c for c in known if c.isalnum() or c == "_")

    @cached_property
    def letter_ids(self) -> NDArray[np.int64]:
        """The token of each letter."""
        return np.array([self._word(letter)[1] for letter in self.letters], dtype=np.int64)

    def spell(self, text: Text) -> Spelling:
        """Return the tokens of a text with room behind its words; each word of the net's own is a run."""
        runs, fields = count(), []
        for number, string in enumerate(text.strings):
            field = Tokens(text, number)
            for word in split_words(string):
                ids = self._word(word.written)
                owners, places = self._origins(field, word.start, word.end)
                room = len(ids) < _LONGEST_WORD
                # A room is the place behind the last character, where that is one of a word.
                end = places[-1] + 1 if places[-1] >= 0 else -1
                field.add(
                    [*ids, *[PAD] * room],
                    [max(owners), *owners[: len(ids) - 1], *[owners[-1]] * room],
                    [-1, *places[: len(ids) - 1], *[end] * room],
                    next(runs),
                )
            fields.append(field)
        return spelling(fields, self.max_length)

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` makes this encoder of."""
        return {
            "kind": "char-words",
            "max_length": self.max_length,
            "alphabet": self.alphabet,
            "words": self.vocabulary,
        }

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> CharWords:
        """Make the encoder that `to_json` wrote."""
        return cls(written["alphabet"], max_length=written["max_length"], words=written.get("words", ()))

    def _origins(self, field: Tokens, start: int, end: int) -> tuple[list[int], list[int]]:
        """The word and place of each symbol; a character of several bytes is several symbols."""
        owners, places = field.word_of[start:end], field.place_of[start:end]
        if self.alphabet is not None:
            return owners, places
        sizes = [len(character.encode("utf-8", "replace")) for character in field.string[start:end]]
        return (
            [owner for owner, size in zip(owners, sizes, strict=True) for _ in range(size)],
            [place for place, size in zip(places, sizes, strict=True) for _ in range(size)],
        )

    def _word(self, word: str) -> list[int]:
        if self.alphabet is None:
            symbols = [FIRST_SYMBOL + byte for byte in word.encode("utf-8", "replace")]
        else:
            symbols = [self._ids.get(character, UNKNOWN) for character in word]
        return [START, *symbols[: _LONGEST_WORD - 1]]
