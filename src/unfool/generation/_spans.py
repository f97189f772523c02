"""Which tokens of a source lie in a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
"""What SentencePiece writes for a space."""


def tokens_within(places: Sequence[tuple[int, int]], span: tuple[int, int]) -> list[int]:
    """Return the tokens that share a character with a span."""
    start, end = span
    return [number for number, (first, last) in enumerate(places) if first < end and last > start and last > first]


def pieces_in(text: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Find pieces in a text, one behind the other; an empty place for one that is not there as it is written."""
    at = 0
    for piece in pieces:
        plain = piece.replace(_SPACE, "").strip()
        found = text.find(plain, at) if plain else -1
        if found < 0:
            yield at, at
        else:
            at = found + len(plain)
            yield found, at
