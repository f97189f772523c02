"""Edits as values: each knows how to make a new text from an old one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from unfool.text._text import Text


class Edit(Protocol):
    """Anything that turns a text into another."""

    def apply(self, text: Text) -> Text:
        """Return the edited text."""
        ...


@dataclass(frozen=True, slots=True)
class Replace:
    """Put another word at a position."""

    position: int
    word: str

    def apply(self, text: Text) -> Text:
        """Return the edited text."""
        return text.replace(self.position, self.word)


@dataclass(frozen=True, slots=True)
class Insert:
    """Put a word before the one at a position, a space between them.

    A position equal to the end of a field appends to that field.
    """

    position: int
    word: str

    def apply(self, text: Text) -> Text:
        """Return the edited text."""
        number = _field_for_insert(text, self.position)
        at, gap = self.position, self.position + number
        appended = at == text.fields[number].stop and at > text.fields[number].start
        old = text.gaps[gap]
        before, after = (" ", old) if appended else (old, " " if at < text.fields[number].stop else "")
        words = (*text.words[:at], self.word, *text.words[at:])
        gaps = (*text.gaps[:gap], before, after, *text.gaps[gap + 1 :])
        return text.with_words(words, gaps, number, 1)


@dataclass(frozen=True, slots=True)
class Delete:
    """Take a word out; the space that parted it from its neighbour goes too."""

    position: int

    def apply(self, text: Text) -> Text:
        """Return the edited text."""
        field = text.field_of(self.position)
        number = text.fields.index(field)
        at, gap = self.position, self.position + number
        before, after = text.gaps[gap], text.gaps[gap + 1]
        if after.startswith(" ") and (before.endswith(" ") or not before):
            after = after[1:]
        elif not after and at == field.stop - 1:
            before = before.removesuffix(" ")
        words = (*text.words[:at], *text.words[at + 1 :])
        gaps = (*text.gaps[:gap], before + after, *text.gaps[gap + 2 :])
        return text.with_words(words, gaps, number, -1)


@dataclass(frozen=True, slots=True)
class FlipCharacter:
    """Put another character at a place inside a word."""

    position: int
    index: int
    character: str

    def apply(self, text: Text) -> Text:
        """Return the edited text."""
        word = text.words[self.position]
        return text.replace(self.position, word[: self.index] + self.character + word[self.index + 1 :])


@dataclass(frozen=True, slots=True)
class InsertCharacter:
    """Put a character before a place inside a word."""

    position: int
    index: int
    character: str

    def apply(self, text: Text) -> Text:
        """Return the edited text."""
        word = text.words[self.position]
        return text.replace(self.position, word[: self.index] + self.character + word[self.index :])


@dataclass(frozen=True, slots=True)
class DeleteCharacter:
    """Take a character out of a word."""

    position: int
    index: int

    def apply(self, text: Text) -> Text:
        """Return the edited text."""
        word = text.words[self.position]
        return text.replace(self.position, word[: self.index] + word[self.index + 1 :])


def _field_for_insert(text: Text, position: int) -> int:
    for number, field in enumerate(text.fields):
        if field.start <= position < field.stop or (position == field.stop and field.editable):
            return number
    raise IndexError(f"no place {position} in a text of {len(text)} words")
