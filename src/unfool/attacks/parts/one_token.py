"""Words that a net reads as one token each, whose vectors can be moved."""

from __future__ import annotations

from typing import NamedTuple

from unfool.text import Text
from unfool.victims import Gradients, WordEmbeddings


class Spot(NamedTuple):
    """A word that may be replaced, the token it is read as, and its row among the known words."""

    position: int
    token: int
    row: int


def words_read_as_one(text: Text, original: Text, slope: Gradients, known: WordEmbeddings) -> list[Spot]:
    """Return the words that are known, of one token, and not replaced yet."""
    tokens: dict[int, list[int]] = {}
    for token, position in enumerate(slope.words.tolist()):
        tokens.setdefault(position, []).append(token)
    return [
        Spot(position, tokens[position][0], row)
        for position in text.editable
        if len(tokens.get(position, ())) == 1
        and text.words[position] == original.words[position]
        and (row := known.row(text.words[position])) is not None
    ]
