"""Words as tokens: the input of word-level nets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import regex

from unfool.errors import UserError
from unfool.text import Text
from unfool.victims._unit_store import Whole

PAD, UNKNOWN, FIRST_WORD = 0, 1, 2
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


class _Token(NamedTuple):
    word: str
    start: int
    end: int


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

    def __init__(self, words: Sequence[str], *, max_length: int = 256) -> None:
        self.words, self.max_length = tuple(words), max_length
        self._ids = {word: number for number, word in enumerate(self.words, start=FIRST_WORD)}
        self._ids[UNKNOWN_WORD] = UNKNOWN

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, size: int = 20_000, max_length: int = 256) -> WordVocabulary:
        """Collect the ``size`` commonest words of some texts; of equally common ones the first in the alphabet."""
        counts = Counter(token.word for text in texts for token in _tokens(text))
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
        return [[self._ids.get(token.word, UNKNOWN) for token in _tokens(chunk)] for chunk in chunks]

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Encode rendered texts, cut to the longest length.

        Raises:
            UserError: If a text is a pair.
        """
        for strings in inputs:
            refuse_pair(len(strings))
        return [Whole(ids[: self.max_length], None) for ids in self.pieces([string for (string,) in inputs])]

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""
        (whole,) = self.whole([text.strings])
        tokens = list(_tokens(text.strings[0]))[: self.max_length]
        return whole, [text.word_at(0, token.start, token.end) for token in tokens]

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` makes this vocabulary of."""
        return {"kind": "words", "max_length": self.max_length, "words": self.words}

    @classmethod
    def from_json(cls, written: dict[str, Any]) -> WordVocabulary:
        """Make the vocabulary that `to_json` wrote."""
        return cls(written["words"], max_length=written["max_length"])


def refuse_pair(fields: int) -> None:
    """Raise for a text of more than one field."""
    if fields > 1:
        raise UserError("the zoo's word nets read one text, not a pair; attack pairs with an hf:… victim")


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        found = match.group()
        word = found if found == UNKNOWN_WORD else found.lower().replace("’", "'")
        yield _Token(word, match.start(), match.end())
