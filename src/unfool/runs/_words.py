"""The changed words of an outcome, in their place, for whoever displays it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from unfool.engine import Outcome
from unfool.text import Text, diff


class Piece(NamedTuple):
    """A stretch of a text: one word that differs between the two texts, or anything that does not."""

    string: str
    changed: bool


class Marked(NamedTuple):
    """The fields of the original and of the perturbed text; joined, the pieces of a field give it back."""

    original: tuple[tuple[Piece, ...], ...]
    perturbed: tuple[tuple[Piece, ...], ...]


def mark_changes(outcome: Outcome) -> Marked:
    """Cut both texts of an outcome into pieces."""
    old = _text(outcome.field_names, outcome.original)
    new = _text(outcome.field_names, outcome.perturbed)
    old_words, new_words = set[int](), set[int]()
    shift = 0  # how far the new text's words have moved from the old one's
    for position, before, after in diff(old, new).changes:
        old_words.update(range(position, position + len(before)))
        new_words.update(range(position + shift, position + shift + len(after)))
        shift += len(after) - len(before)
    return Marked(_cut(old, old_words), _cut(new, new_words))


def _text(names: tuple[str, ...], strings: tuple[str, ...]) -> Text:
    return Text.from_fields(dict(zip(names, strings, strict=True)))


def _cut(text: Text, changed: set[int]) -> tuple[tuple[Piece, ...], ...]:
    return tuple(tuple(_cut_field(text, number, changed)) for number in range(len(text.fields)))


def _cut_field(text: Text, number: int, changed: set[int]) -> Iterator[Piece]:
    field, same = text.fields[number], ""
    for position in range(field.start, field.stop):
        same += text.gaps[position + number]
        if position in changed:
            yield Piece(same, False)
            yield Piece(text.words[position], True)
            same = ""
        else:
            same += text.words[position]
    yield Piece(same + text.gaps[field.stop + number], False)
