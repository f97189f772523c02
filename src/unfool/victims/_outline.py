"""A text as names of units, before anything is encoded, and where its words lie among them."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from unfool.text import Text
from unfool.victims._unit_store import AtEdge, Name


class Spot(NamedTuple):
    """Where a word lies in its row, and what stands around it in its chunk."""

    place: int
    before: str
    after: str
    alone: bool
    """Whether no other word shares the chunk."""


class Outline(NamedTuple):
    """A text's units by name, before they are encoded."""

    names: list[Name]
    second: int
    """Where a pair's second text will start in the row; not before its end where there is none."""
    spots: tuple[Spot | None, ...]


def outline(text: Text, lead: str) -> Outline:
    """Name the units of a text: a later chunk has its space, one with white space at its edge is marked.

    Args:
        text: The text.
        lead: What stands before a chunk that is not the first; see `Encoder`.
    """
    chunks = text.chunks
    firsts = chunks.field_starts
    strings = chunks.strings
    names: list[Name] = [lead + chunk for chunk in strings]
    for number in firsts:
        names[number] = strings[number]
    # Only the first and the last chunk of a field can be empty or have white space at an edge.
    edges = {*firsts, *(start - 1 for start in firsts[1:]), len(strings) - 1}
    marked = [n for n in edges if not strings[n] or strings[n][0].isspace() or strings[n][-1].isspace()]
    for number in marked:
        names[number] = AtEdge(str(names[number]))
    words_in = Counter([place.chunk for place in chunks.places if place])
    second = firsts[1] if len(firsts) > 1 else len(strings)
    spots: list[Spot | None] = []
    for place in chunks.places:
        if place is None or place.chunk in marked:
            spots.append(None)
            continue
        number, before, after = place
        # The prefix stands before the first field, the middle before the second.
        at = number + 1 if number < second else number + 2
        spots.append(Spot(at, before if number in firsts else lead + before, after, words_in[number] == 1))
    return Outline(names, firsts[1] + 2 if len(firsts) > 1 else len(names) + 2, tuple(spots))
