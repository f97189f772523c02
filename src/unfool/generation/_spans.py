"""Which tokens of a source lie in a word."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
"""What SentencePiece writes for a space."""


def tokens_within(places: Sequence[tuple[int, int]], span: tuple[int, int]) -> list[int]:
    """Return the tokens that share a character with a span."""
    start, end = span
    return [number for number, (first, last) in enumerate(places) if first < end and last > start and last > first]


def pieces_in(text: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Find pieces in a text, one behind the other; an empty place for one that is not there as it is written."""
    at = 0
    for piece in pieces:
        plain = piece.replace(SPACE, "").strip()
        found = text.find(plain, at) if plain else -1
        if found < 0:
            yield at, at
        else:
            at = found + len(plain)
            yield found, at


def one_token_words(
    decoded: Sequence[str], encode: Callable[[list[str]], Sequence[Sequence[int]]]
) -> dict[int, str]:
    """Return the words that a tokenizer reads as one token each, by token.

    Args:
        decoded: What each token says.
        encode: Reads words, without tokens at their ends.
    """
    words = {number: text.strip() for number, text in enumerate(decoded) if text.strip().isalpha()}
    read = encode(list(words.values()))
    return {number: word for (number, word), ids in zip(words.items(), read, strict=True) if list(ids) == [number]}
