"""Text as an immutable value: words, the gaps between them, and the fields they belong to."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import regex

from unfool.text._chunks import Chunks, chunk_fields, chunk_words
from unfool.text._cutters import Cutter

if TYPE_CHECKING:
    from unfool.text._variants import Variants

# Marks belong to their letter (Hebrew and Arabic points, Devanagari vowels); an apostrophe or hyphen inside a
# word does not end it. Everything else, emoji and punctuation included, is a gap and is never edited.
# Chinese, Japanese and Thai put no spaces between words: each of their characters is one, unless a cutter is asked.
UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}ー]"
"""Characters of scripts that put no spaces between words, as a set of the package `regex`."""
_LETTER, _INSIDE = rf"[[\p{{L}}\p{{N}}_]--{UNSPACED}]", rf"[[\p{{L}}\p{{M}}\p{{N}}_]--{UNSPACED}]"
_CHARACTER = rf"(?:[{UNSPACED}&&[\p{{L}}\p{{N}}]]\p{{M}}*)"
_SPACED = rf"{_LETTER}{_INSIDE}*(?:['’\-]{_LETTER}{_INSIDE}*)*"
_WORD, _RUN = (regex.compile(rf"({one}|{_SPACED})", regex.V1) for one in (_CHARACTER, f"{_CHARACTER}+"))
_STARTS_RUN = regex.compile(_CHARACTER, regex.V1)


@dataclass(frozen=True, slots=True)
class Field:
    """A named stretch of words: the whole text, or one sentence of a pair."""

    name: str
    start: int
    stop: int
    editable: bool = True


@dataclass(frozen=True)
class Text:
    """Words and the gaps around them; rendering gives back the very input.

    ``gaps`` holds, for each field in turn, one string before every word and one after the last, so a field of
    n words has n + 1 gaps. Build one with `Text.of` or `Text.pair`; `replace`, `insert` and `delete` change it.
    """

    words: tuple[str, ...]
    gaps: tuple[str, ...]
    fields: tuple[Field, ...]

    @property
    def origin(self) -> tuple[Text, Sequence[int]] | None:
        """The text this one came from by changed words, and their positions; None if unknown."""
        return self.__dict__.get("_origin")

    @classmethod
    def of(cls, string: str, name: str = "text", *, cut: Cutter | None = None) -> Text:
        """Split one string into words and gaps; see `from_fields` for ``cut``."""
        return cls.from_fields({name: string}, cut=cut)

    @classmethod
    def pair(cls, first: tuple[str, str], second: tuple[str, str], editable: str | None = None) -> Text:
        """Make a pair of named sentences, e.g. ``Text.pair(("premise", p), ("hypothesis", h), "hypothesis")``.

        ``editable`` names the field attacks may change; None means both.
        """
        return cls.from_fields(dict([first, second]), editable)

    @classmethod
    def from_fields(
        cls, strings: dict[str, str], editable: str | None = None, *, cut: Cutter | None = None
    ) -> Text:
        """Make a text of named fields.

        Args:
            strings: The fields' strings by name.
            editable: The one field that attacks may change; all if None.
            cut: Cuts runs of characters that no spaces part into words; each character is one if None.
        """
        words: list[str] = []
        gaps: list[str] = []
        fields: list[Field] = []
        for name, string in strings.items():
            start = len(words)
            pieces = _WORD.split(string) if cut is None else _cut_pieces(string, cut)
            gaps += pieces[0::2]
            words += pieces[1::2]
            fields.append(Field(name, start, len(words), editable in (None, name)))
        if not any(field.editable for field in fields):
            raise ValueError(f"no field {editable!r} to edit; the text has {', '.join(strings)}")
        return cls(tuple(words), tuple(gaps), tuple(fields))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """Each field as the string it was made from, edits applied."""
        return tuple("".join(self._pieces(number)) for number in range(len(self.fields)))

    def __str__(self) -> str:
        return "\n".join(self.strings)

    @cached_property
    def editable(self) -> tuple[int, ...]:
        """Positions of the words that attacks may change."""
        return tuple(i for field in self.fields if field.editable for i in range(field.start, field.stop))

    @property
    def editable_strings(self) -> list[str]:
        """The fields that attacks may change, as strings."""
        return [string for field, string in zip(self.fields, self.strings, strict=True) if field.editable]

    @property
    def editable_characters(self) -> int:
        """How many characters the fields have that attacks may change."""
        return sum(map(len, self.editable_strings))

    @cached_property
    def chunks(self) -> Chunks:
        """The text cut at single spaces, and where each word lies in the cuts (see `Chunks`)."""
        spans = [(field.start, field.stop) for field in self.fields]
        return chunk_words(self.words, self.gaps, spans) or chunk_fields(self.strings, self.spans)

    @cached_property
    def spans(self) -> list[list[tuple[int, int]]]:
        """Where each word starts and ends in its field's string, field by field."""
        return [self._word_spans(number) for number in range(len(self.fields))]

    @cached_property
    def kept(self) -> dict[object, Any]:
        """What readers of this text keep with it, each under itself, so as not to read it twice."""
        return {}

    def field_of(self, position: int) -> Field:
        """Return the field that holds the word at ``position``."""
        return next(field for field in self.fields if field.start <= position < field.stop)

    def word_at(self, field_number: int, start: int, end: int) -> int:
        """Return the position of the word that holds these characters of a field; -1 where none does."""
        spans = self.spans[field_number]
        number = bisect_right(spans, (end - 1, sys.maxsize)) - 1
        if number >= 0 and spans[number][0] < end and start < spans[number][1]:
            return self.fields[field_number].start + number
        return -1

    def replace(self, position: int, word: str) -> Text:
        """Return the text with one word changed."""
        text = Text((*self.words[:position], word, *self.words[position + 1 :]), self.gaps, self.fields)
        # Encoders take the one changed chunk from here instead of cutting the text anew.
        text.__dict__["_origin"] = (self, (position,))
        return text

    def replace_several(self, positions: Sequence[int], words: Iterable[str]) -> Text:
        """Return the text with several words changed, each position named once."""
        changed = list(self.words)
        for position, word in zip(positions, words, strict=True):
            changed[position] = word
        text = Text(tuple(changed), self.gaps, self.fields)
        text.__dict__["_origin"] = (self, positions)
        return text

    def insert(self, position: int, word: str) -> Text:
        """Return the text with one more word before the one at a position, a space between them.

        A position equal to the end of a field appends to that field.

        Raises:
            IndexError: There is no such position.
        """
        number = self._field_for_insert(position)
        field, gap = self.fields[number], position + number
        old = self.gaps[gap]
        appended = field.start < position == field.stop
        before, after = (" ", old) if appended else (old, " " if position < field.stop else "")
        words = (*self.words[:position], word, *self.words[position:])
        gaps = (*self.gaps[:gap], before, after, *self.gaps[gap + 1 :])
        return self._resized(words, gaps, number, 1)

    def delete(self, position: int) -> Text:
        """Return the text without one word; the space that parted it from its neighbour goes too."""
        field = self.field_of(position)
        number = self.fields.index(field)
        gap = position + number
        before, after = self.gaps[gap], self.gaps[gap + 1]
        if after.startswith(" ") and (before.endswith(" ") or not before):
            after = after[1:]
        elif not after and position == field.stop - 1:
            before = before.removesuffix(" ")
        words = (*self.words[:position], *self.words[position + 1 :])
        gaps = (*self.gaps[:gap], before + after, *self.gaps[gap + 2 :])
        return self._resized(words, gaps, number, -1)

    def stretch(self, field: Field, start: int, stop: int) -> Text:
        """Return the text with nothing left of a field but the words from ``start`` to ``stop``, if any."""
        number = self.fields.index(field)
        words = (*self.words[: field.start], *self.words[start:stop], *self.words[field.stop :])
        first, last = field.start + number, field.stop + number
        inner = self.gaps[start + number + 1 : stop + number] if start < stop else ()
        ends = ("", "") if start < stop else ("",)
        gaps = (*self.gaps[:first], *ends[:1], *inner, *ends[1:], *self.gaps[last + 1 :])
        return self._resized(words, gaps, number, (stop - start) - (field.stop - field.start))

    def variants(self, positions: Iterable[int], words: Iterable[str] | str) -> Variants:
        """Many texts that each differ from this one in one word: position k takes word k.

        A single string serves every position.
        """
        from unfool.text._variants import Variants

        return Variants.of_swaps(self, positions, words)

    def _field_for_insert(self, position: int) -> int:
        for number, field in enumerate(self.fields):
            if field.start <= position < field.stop or (position == field.stop and field.editable):
                return number
        raise IndexError(f"no place {position} in a text of {len(self)} words")

    def _resized(self, words: tuple[str, ...], gaps: tuple[str, ...], field_number: int, growth: int) -> Text:
        """Return a text of these words whose given field has ``growth`` more of them."""
        fields = tuple(
            replace(
                field,
                start=field.start + (growth if number > field_number else 0),
                stop=field.stop + (growth if number >= field_number else 0),
            )
            for number, field in enumerate(self.fields)
        )
        return Text(words, gaps, fields)

    def _pieces(self, field_number: int) -> list[str]:
        field = self.fields[field_number]
        first_gap, count = field.start + field_number, field.stop - field.start
        pieces = [""] * (2 * count + 1)
        pieces[0::2] = self.gaps[first_gap : first_gap + count + 1]
        pieces[1::2] = self.words[field.start : field.stop]
        return pieces

    def _word_spans(self, field_number: int) -> list[tuple[int, int]]:
        ends = list(accumulate(map(len, self._pieces(field_number))))
        return [(ends[k], ends[k + 1]) for k in range(0, len(ends) - 1, 2)]


def _cut_pieces(string: str, cut: Cutter) -> list[str]:
    """Return gaps and words by turns, as `_WORD` splits, with nothing between the words of a run."""
    first, *rest = _RUN.split(string)
    pieces = [first]
    for run, gap in zip(rest[0::2], rest[1::2], strict=True):
        words = cut(run) if _STARTS_RUN.match(run) else [run]
        if "".join(words) != run:
            raise ValueError(f"a cutter made {words} of {run!r}")
        for word in words:
            pieces += [word, ""]
        pieces[-1] = gap
    return pieces


@dataclass(frozen=True, slots=True)
class Sample:
    """One labelled text of a data set; ``id`` is its row there."""

    id: int
    text: Text
    label: int
