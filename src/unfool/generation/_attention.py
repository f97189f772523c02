"""Where a model looks in the source while it makes an output, told by words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unfool.generation._spans import SPACE

_BEGINS_A_WORD = (SPACE, "Ġ")
"""What a piece that begins a word begins with, by SentencePiece and by bytes."""


class OutputAttention(NamedTuple):
    """Where a translator looked while it made an output, by words."""

    source: list[str]
    output: list[str]
    cross: NDArray[np.float32]
    """A row an output word, a column a source word: the mean over the one's tokens of the sum over the other's."""
    own: NDArray[np.float32] | None = None
    """How the source's words look at each other, likewise; None if the model does not tell."""


@runtime_checkable
class TellsAttention(Protocol):
    """A model that tells where it looks."""

    def attention(self, source: str) -> OutputAttention:
        """Return the attention with which a source becomes its output."""
        ...


def words_of(pieces: Sequence[str]) -> list[list[int]]:
    """Put the numbers of the tokens of each word together.

    Args:
        pieces: What the tokenizer calls each token.
    """
    words: list[list[int]] = []
    for number, piece in enumerate(pieces):
        if not words or piece.startswith(_BEGINS_A_WORD):
            words.append([])
        words[-1].append(number)
    return words


def attention_by_words(
    weights: NDArray[np.float32], rows: Sequence[Sequence[int]], columns: Sequence[Sequence[int]]
) -> NDArray[np.float32]:
    """Return attention by words: the sum over the tokens of what is looked at, the mean over those that look."""
    made = np.zeros((len(rows), len(columns)), np.float32)
    for row, looking in enumerate(rows):
        for column, seen in enumerate(columns):
            made[row, column] = weights[np.ix_(looking, seen)].sum(1).mean()
    return made


def told_by_words(
    cross: NDArray[np.float32],
    own: NDArray[np.float32] | None,
    source: Sequence[str],
    output: Sequence[str],
    spell: Callable[[list[int], bool], str],
) -> OutputAttention:
    """Put the attention of tokens together.

    Args:
        cross: A row a token of the output, a column a token of the source.
        own: How the source's tokens look at each other, if that is told.
        source: What the tokenizer calls the source's tokens.
        output: What it calls the output's.
        spell: Says what word some tokens are, by their numbers, and whether they are the output's.
    """
    read, made = words_of(source), words_of(output)
    return OutputAttention(
        [spell(word, False) for word in read],
        [spell(word, True) for word in made],
        attention_by_words(cross, made, read),
        None if own is None else attention_by_words(own, read, read),
    )
