"""A text cut at its single spaces: the units that encoders keep and splice.

Every tokenizer we splice for breaks at a lone space between two non-space characters, so the encoding of a text
is the concatenation of the encodings of its chunks. Changing a word changes one chunk and leaves the others.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_LONE_SPACE = re.compile(r"(?<=\S) (?=\S)")


class WordPlace(NamedTuple):
    """Where a word lies: its chunk, and what stands around it there."""

    chunk: int
    before: str
    after: str


class Chunks(NamedTuple):
    """The chunks of all fields in a row.

    ``places[i]`` is None for a word that covers no chunk of its own (an empty word, or a phrase with a space).
    """

    strings: tuple[str, ...]
    field_starts: tuple[int, ...]
    places: tuple[WordPlace | None, ...]


def chunk_words(words: Sequence[str], gaps: Sequence[str], fields: Sequence[tuple[int, int]]) -> Chunks | None:
    """Cut a text of plain words along its gaps; None if only the rendered string tells where to cut."""
    joined = "".join(words)
    if "" in words or joined.split() != [joined]:
        return None
    chunks: list[str] = []
    field_starts: list[int] = []
    places: list[WordPlace | None] = []
    for number, (start, stop) in enumerate(fields):
        field_starts.append(len(chunks))
        current = ""
        open_words: list[tuple[int, int]] = []
        for position in range(start, stop + 1):
            gap = gaps[position + number]
            parts = _cut_gap(gap, position == start, position == stop)
            if parts is None:
                return None
            current += parts[0]
            if len(parts) > 1:
                _close(chunks, places, current, open_words)
                chunks += parts[1:-1]
                current, open_words = parts[-1], []
            if position < stop:
                open_words.append((len(current), len(words[position])))
                current += words[position]
        _close(chunks, places, current, open_words)
    return Chunks(tuple(chunks), tuple(field_starts), tuple(places))


def _close(chunks: list[str], places: list[WordPlace | None], chunk: str, words: list[tuple[int, int]]) -> None:
    for start, length in words:
        places.append(WordPlace(len(chunks), chunk[:start], chunk[start + length :]))
    chunks.append(chunk)


@lru_cache(maxsize=65_536)
def _cut_gap(gap: str, opens: bool, closes: bool) -> list[str] | None:
    """Cut a gap at its spaces; None if one of them is not alone between two other characters."""
    parts = gap.split(" ")
    if any(character.isspace() and character != " " for character in gap) or "" in parts[1:-1]:
        return None
    if len(parts) > 1 and ((opens and not parts[0]) or (closes and not parts[-1])):
        return None
    return parts


def chunk_fields(strings: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]) -> Chunks:
    """Cut each field at its lone spaces and place its words, given as character spans, in the cuts."""
    chunks: list[str] = []
    field_starts: list[int] = []
    places: list[WordPlace | None] = []
    for string, words in zip(strings, spans, strict=True):
        first = len(chunks)
        field_starts.append(first)
        cuts = [match.start() for match in _LONE_SPACE.finditer(string)]
        starts, ends = [0, *(cut + 1 for cut in cuts)], [*cuts, len(string)]
        chunks += [string[start:end] for start, end in zip(starts, ends, strict=True)]
        for start, end in words:
            number = bisect_right(starts, start) - 1
            inside = start < end <= ends[number]
            places.append(
                WordPlace(first + number, string[starts[number] : start], string[end : ends[number]])
                if inside
                else None
            )
    return Chunks(tuple(chunks), tuple(field_starts), tuple(places))
