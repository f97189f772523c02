"""Characters as tokens: a stream with spaces among them, or with a mark before each word."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from string import printable
from typing import Any

import numpy as np

from unfool.text import Text
from unfool.victims import Spelling
from unfool.victims.tokens import Whole
from unfool.zoo.encoders._encoder import PAD, UNKNOWN, Ints, NetEncoder
from unfool.zoo.encoders._spelling import Tokens, respelt, spelling
from unfool.zoo.encoders._words import split_words

_FIRST_CHARACTER = 2
START, FIRST_SYMBOL = 2, 3
_RAREST = 3
_LONGEST_WORD = 35
_CHUNK = re.compile("[^ ]+")
_CHUNKS_KEPT = 1 << 16


class CharacterEncoder(NetEncoder):
    """Base of encoders whose tokens are characters.

    Args:
        alphabet: The known characters; their order gives the token ids, after 0 for padding, 1 for what is unknown,
            and the subclass's marks. None for the 256 bytes of UTF-8, which leave nothing unknown.
        max_length: Longer texts lose their end, in characters and marks.
        words: The words of the training texts; the net reads others as well, but attacks ask which are words.
    """

    unknown = "\u25a1"  # a blank square: in no alphabet made of texts people write
    _kind: str
    _first: int

    def __init__(self, alphabet: str | None, max_length: int, words: Sequence[str]) -> None:
        self.alphabet, self.max_length, self.vocabulary = alphabet, max_length, tuple(words)
        self._ids = {character: number for number, character in enumerate(alphabet or "", start=self._first)}

    def __len__(self) -> int:
        return self._first + (256 if self.alphabet is None else len(self.alphabet))

    @property
    @abstractmethod
    def letters(self) -> str:
        """The known characters that may stand inside a word."""

    @abstractmethod
    def spell(self, text: Text) -> Spelling:
        """Return the tokens of a text with room behind its words."""

    @cached_property
    def letter_ids(self) -> Ints:
        """The token of each letter."""
        return np.array([self._symbols(letter)[0] for letter in self.letters], dtype=np.int64)

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole, with room behind its words, and say which word each token comes from."""
        spelt = self.spell(text)
        words = np.where(spelt.ids == PAD, -1, spelt.words)
        return Whole(spelt.ids.tolist(), spelt.second), words.tolist()

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self._kind,
            "max_length": self.max_length,
            "alphabet": self.alphabet,
            "words": self.vocabulary,
        }

    def _symbols(self, characters: str) -> list[int]:
        if self.alphabet is None:
            return [self._first + byte for byte in characters.encode("utf-8", "replace")]
        return [self._ids.get(character, UNKNOWN) for character in characters]


class Characters(CharacterEncoder):
    """Lower-cased characters, spaces among them."""

    lead = " "
    _kind, _first = "characters", _FIRST_CHARACTER

    def __init__(self, alphabet: str, *, max_length: int = 1014, words: Sequence[str] = ()) -> None:
        super().__init__(alphabet, max_length, words)

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, max_length: int = 1014) -> Characters:
        """Take the characters that stand at least three times in some texts, and the texts' words."""
        characters, words = _common(texts, str.lower)
        return cls("".join(characters), max_length=max_length, words=words)

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        return [self._symbols(chunk.lower()) for chunk in chunks]

    @cached_property
    def letters(self) -> str:
        """The known characters but white space."""
        return "".join(character for character in self.alphabet or "" if not character.isspace())

    def spell(self, text: Text) -> Spelling:
        """Return the tokens of a text; all of it is one run, behind which there is no room."""
        known: Spelling | None = text.kept.get(self)
        if known is None:
            fields = []
            for string, ids in zip(text.strings, self.pieces(text.strings), strict=True):
                # A few characters grow to two when they are lower-cased.
                places = [place for place, character in enumerate(string) for _ in character.lower()]
                fields.append(Tokens.of(ids, places, [0] * len(ids), [0] * len(ids)))
            known = text.kept[self] = spelling(text, fields, self.max_length)
        return known


class CharWords(CharacterEncoder):
    """Words and marks as their characters, in the case they are written in; a token before each opens it."""

    _kind, _first = "char-words", FIRST_SYMBOL

    def __init__(self, alphabet: str | None, *, max_length: int = 2048, words: Sequence[str] = ()) -> None:
        super().__init__(alphabet, max_length, words)
        self._chunks: dict[str, Tokens] = {}

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, max_length: int = 2048, bytes_only: bool = False) -> CharWords:
        """Take the characters that stand at least three times in some texts, or all bytes, and the texts' words."""
        characters, words = _common(texts, str)
        alphabet = "".join(character for character in characters if not character.isspace())
        return cls(None if bytes_only else alphabet, max_length=max_length, words=words)

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        return [[token for word in split_words(chunk) for token in self._word(word.written)] for chunk in chunks]

    @cached_property
    def letters(self) -> str:
        """The characters that do not cut a word in two; of the bytes, those that are one by themselves."""
        known = printable if self.alphabet is None else self.alphabet
        return "".join(c for c in known if c.isalnum() or c == "_")

    def spell(self, text: Text) -> Spelling:
        """Return the tokens of a text with room behind its words; each word of the net's own is a run."""
        known: Spelling | None = text.kept.get(self)
        if known is None:
            known = text.kept[self] = self._changed(text) or self._anew(text)
        return known

    def _anew(self, text: Text) -> Spelling:
        fields = []
        for string in text.strings:
            chunks = list(_CHUNK.finditer(string))
            fields.append(Tokens.joined([self._chunk(c.group()) for c in chunks], [c.start() for c in chunks]))
        return spelling(text, fields, self.max_length)

    def _changed(self, text: Text) -> Spelling | None:
        """Spell a text that came from one spelt before by one changed word, alone between two spaces."""
        source, positions = text.origin or (None, ())
        before: Spelling | None = source.kept.get(self) if source else None
        if source is None or before is None or len(positions) != 1 or len(text.fields) != 1:
            return None
        (position,) = positions
        ahead, behind = text.gaps[position], text.gaps[position + 1]
        alone = (" " in ahead or position == 0) and (" " in behind or position == len(text) - 1)
        words = (source.words[position], text.words[position])
        if not alone or not all(words) or any(" " in word for word in words):
            return None
        around = ahead[ahead.rfind(" ") + 1 :], behind.partition(" ")[0]
        old, new = (self._chunk(around[0] + word + around[1]) for word in words)
        if len(before.ids) + max(0, len(new.ids) - len(old.ids)) >= self.max_length:
            return None
        return respelt(before, position, len(around[0]), old, new, len(words[1]))

    def _chunk(self, chunk: str) -> Tokens:
        """Spell what stands between two spaces; texts share most of these, so they are kept."""
        kept = self._chunks.get(chunk)
        if kept is None:
            kept = self._spelt(chunk)
            if len(self._chunks) == _CHUNKS_KEPT:
                self._chunks.clear()
            self._chunks[chunk] = kept
        return kept

    def _spelt(self, chunk: str) -> Tokens:
        ids: list[int] = []
        at: list[int] = []
        shift: list[int] = []
        runs: list[int] = []
        for run, word in enumerate(split_words(chunk)):
            symbols = self._word(word.written)
            # A character of several bytes is several symbols.
            sizes = [1 if self.alphabet is not None else len(c.encode("utf-8", "replace")) for c in word.written]
            origins = [word.start + place for place, size in enumerate(sizes) for _ in range(size)]
            room = len(symbols) < _LONGEST_WORD
            ids += [*symbols, *[PAD] * room]
            at += [word.start, *origins[: len(symbols) - 1], *[word.end - 1] * room]
            shift += [-1, *[0] * (len(symbols) - 1), *[1] * room]
            runs += [run] * (len(symbols) + room)
        return Tokens.of(ids, at, shift, runs)

    def _word(self, word: str) -> list[int]:
        return [START, *self._symbols(word)[: _LONGEST_WORD - 1]]


def _common(texts: Iterable[str], read: Callable[[str], str]) -> tuple[list[str], list[str]]:
    """Return the characters that stand at least three times in texts as they are read, and the texts' words."""
    counts: Counter[str] = Counter()
    words: set[str] = set()
    for text in texts:
        counts.update(read(text))
        words.update(word.normal for word in split_words(text) if word.written.isalnum())
    del counts[CharacterEncoder.unknown]
    return sorted(character for character, seen in counts.items() if seen >= _RAREST), sorted(words)
