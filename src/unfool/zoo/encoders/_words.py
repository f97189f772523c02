"""Words as tokens: the input of word-level nets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import regex

from unfool.text import Text
from unfool.victims.tokens import Whole
from unfool.zoo.encoders._encoder import PAD, UNKNOWN, Ints, NetEncoder, joined

FIRST_WORD = 2
UNKNOWN_WORD = "[UNK]"
PADDING_WORD = "␀"
"""Read as padding: for attacks that write into the padding behind a text. Any pattern takes it as one token."""


def _tokens(letter: str, apostrophe: str) -> str:
    """Return the pattern of a token.

    GloVe was counted on text with its contractions split: is n't, it 's. No pattern looks at or beyond a space, so
    a text cut at spaces gives the same tokens.
    """
    return rf"""
      {letter}++(?<!n(?={apostrophe}t(?!{letter})))
    | (?-i:\[UNK\])
    | n{apostrophe}t(?!{letter})
    | {apostrophe}(?:s|m|d|ll|re|ve)(?!{letter})
    | {letter}+?(?=n{apostrophe}t(?!{letter}))
    | {letter}+
    | \S
    """


_ANY = regex.compile(_tokens(r"[\p{L}\p{M}\p{N}_]", "['’]"), regex.VERBOSE | regex.IGNORECASE)
# Of plain characters it finds the same, five times as fast.
_PLAIN = re.compile(_tokens(r"\w", "'"), re.VERBOSE | re.IGNORECASE | re.ASCII)


class Word(NamedTuple):
    """A word or mark as it is written, and its place."""

    written: str
    start: int
    end: int

    @property
    def normal(self) -> str:
        """Lower-cased, with straight apostrophes."""
        return _normal(self.written)


class _Read(NamedTuple):
    """A field's string, the spans of its words, and its tokens: their ids, places, and words (-1 for none)."""

    string: str
    spans: Ints
    ids: Ints
    starts: Ints
    words: Ints


class WordVocabulary(NetEncoder):
    """Lower-cased words, clitics and single marks as tokens; what is not in the list is unknown.

    Args:
        words: The known words; their order gives the token ids, from 2 (0 pads, 1 is unknown).
        max_length: Longer texts lose their end.
    """

    unknown = UNKNOWN_WORD

    def __init__(self, words: Sequence[str], *, max_length: int = 256) -> None:
        self.words, self.max_length = tuple(words), max_length
        self.vocabulary = tuple(word for word in self.words if word.isalnum())  # no marks, no clitics
        self._ids = {word: number for number, word in enumerate(self.words, start=FIRST_WORD)}
        self._ids[UNKNOWN_WORD] = UNKNOWN
        self._ids.setdefault(PADDING_WORD, PAD)

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, size: int = 20_000, max_length: int = 256) -> WordVocabulary:
        """Collect the ``size`` commonest words of some texts; of equally common ones the first in the alphabet."""
        counts = Counter(word.normal for text in texts for word in split_words(text))
        del counts[UNKNOWN_WORD]
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ranked[:size], max_length=max_length)

    def __len__(self) -> int:
        return len(self.words) + FIRST_WORD

    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        return [[self._id(written) for written in _token(chunk).findall(chunk)] for chunk in chunks]

    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        known: list[_Read] | None = text.kept.get(self)
        if known is None:
            known = text.kept[self] = self._changed(text) or [
                self._read(string, np.array(spans, dtype=np.int64).reshape(-1, 2))
                for string, spans in zip(text.strings, text.spans, strict=True)
            ]
        whole = joined([read.ids.tolist() for read in known], self.max_length)
        cut = whole.second if whole.second is not None else len(whole.tokens)
        words: list[int] = []
        for field, read, kept in zip(text.fields, known, (cut, len(whole.tokens) - cut), strict=False):
            words += np.where(read.words < 0, -1, read.words + field.start)[:kept].tolist()
        return whole, words

    def _changed(self, text: Text) -> list[_Read] | None:
        """Read a text that came from one read before by one changed word: only the chunk around it is new."""
        source, positions = text.origin or (None, ())
        before: list[_Read] | None = source.kept.get(self) if source else None
        if before is None or len(positions) != 1:
            return None
        (position,) = positions
        number = text.fields.index(text.field_of(position))
        old, at = before[number], position - text.fields[number].start
        start, end = old.spans[at].tolist()
        longer = len(text.words[position]) - (end - start)
        string = old.string[:start] + text.words[position] + old.string[end:]
        left, right = old.string.rfind(" ", 0, start) + 1, (old.string + " ").find(" ", end)
        spans = old.spans.copy()
        spans[at + 1 :] += longer
        spans[at, 1] += longer
        new = self._read(string[left : right + longer], spans - left)
        first, last = np.searchsorted(old.starts, (left, right)).tolist()
        new = _Read(
            string,
            spans,
            np.concatenate([old.ids[:first], new.ids, old.ids[last:]]),
            np.concatenate([old.starts[:first], new.starts + left, old.starts[last:] + longer]),
            np.concatenate([old.words[:first], new.words, old.words[last:]]),
        )
        return [*before[:number], new, *before[number + 1 :]]

    def _read(self, string: str, spans: Ints) -> _Read:
        found = [(self._id(match.group()), *match.span()) for match in _token(string).finditer(string)]
        ids, starts, ends = np.array(found, dtype=np.int64).reshape(-1, 3).T
        last = np.searchsorted(spans[:, 0], ends - 1, side="right") - 1
        behind = np.append(spans[:, 1], -1)  # no word: the last of these
        return _Read(string, spans, ids, starts, np.where(behind[last] > starts, last, -1))

    def _id(self, written: str) -> int:
        # Most words are written as they are known, which is quicker to find out than how they should be.
        known = self._ids.get(written)
        return self._ids.get(_normal(written), UNKNOWN) if known is None else known

    def to_json(self) -> dict[str, Any]:
        return {"kind": "words", "max_length": self.max_length, "words": self.words}


def _normal(written: str) -> str:
    return written if written == UNKNOWN_WORD else written.lower().replace("’", "'")


def _token(string: str) -> Any:
    """Return the pattern that reads a string."""
    return _PLAIN if string.isascii() else _ANY


def split_words(text: str) -> Iterator[Word]:
    """Split a text into words, clitics and single marks."""
    for match in _token(text).finditer(text):
        yield Word(match.group(), match.start(), match.end())
