"""Words as tokens: the input of word-level nets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import regex

from unfool.text import Text
from unfool.victims._unit_store import Whole
from unfool.zoo.encoders._ids import UNKNOWN
from unfool.zoo.encoders._pair import joined

FIRST_WORD = 2
UNKNOWN_WORD = "[UNK]"

_LETTER = r"[\p{L}\p{M}\p{N}_]"
# GloVe was counted on text with its contractions split: is n't, it 's. No pattern looks at or beyond a space, so
# a text cut at spaces gives the same tokens.
_TOKEN = regex.compile(
    rf"""
      (?-i:\[UNK\])
    | n['’]t(?!{_LETTER})
    | ['’](?:s|m|d|ll|re|ve)(?!{_LETTER})
    | {_LETTER}+?(?=n['’]t(?!{_LETTER}))
    | {_LETTER}+
    | \S
    """,
    regex.VERBOSE | regex.IGNORECASE,
)


class Word(NamedTuple):
    """A word or mark as it is written, and where."""

    written: str
    start: int
    end: int

    @property
    def normal(self) -> str:
        """Lower-cased, with straight apostrophes."""
        return self.written if self.written == UNKNOWN_WORD else self.written.lower().replace("’", "'")


class WordVocabulary:
    """Lower-cased words, clitics and single marks as tokens; what is not in the list is unknown.

    Args:
        words: The known words; their order gives the token ids, from 2 (0 pads, 1 is unknown).
        max_length: Longer texts lose their end.
    """

    splices = True
    lead = ""
    prefix: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    unknown = UNKNOWN_WORD

    def __init__(self, words: Sequence[str], *, max_length: int = 256) -> None:
        self.words, self.max_length = tuple(words), max_length
        self._ids = {word: number for number, word in enumerate(self.words, start=FIRST_WORD)}
        self._ids[UNKNOWN_WORD] = UNKNOWN

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, size: int = 20_000, max_length: int = 256) -> WordVocabulary:
        """Collect the ``size`` commonest words of some texts; of equally common ones the first in the alphabet."""
        counts = Counter(word.normal for text in texts for word in split_words(text))
        del counts[UNKNOWN_WORD]
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ranked[:size], max_length=max_length)

    def __len__(self) -> int:
        return len(self.words) + FIRST_WORD

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The words that can stand by themselves: no marks, no clitics."""
        return tuple(word for word in self.words if word.isalnum())

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Encode chunks, each by itself."""
        return [[self._ids.get(word.normal, UNKNOWN) for word in split_words(chunk)] for chunk in chunks]

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Encode rendered texts, cut to the longest length."""
        return [joined(self.pieces(strings), self.max_length) for strings in inputs]

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""
        (whole,) = self.whole([text.strings])
        cut = whole.second if whole.second is not None else len(whole.tokens)
        words: list[int] = []
        for field, (string, kept) in enumerate(zip(text.strings, (cut, len(whole.tokens) - cut), strict=False)):
            words += [text.word_at(field, word.start, word.end) for word in split_words(string)][:kept]
        return whole, words

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` makes this vocabulary of."""
        return {"kind": "words", "max_length": self.max_length, "words": self.words}

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> WordVocabulary:
        """Make the vocabulary that `to_json` wrote."""
        return cls(written["words"], max_length=written["max_length"])


def split_words(text: str) -> Iterator[Word]:
    """Split a text into words, clitics and single marks."""
    for match in _TOKEN.finditer(text):
        yield Word(match.group(), match.start(), match.end())
