"""From the characters of a string to the words of a text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unfool.text import Text
from unfool.victims import Spelling
from unfool.zoo.encoders._ids import PAD
from unfool.zoo.encoders._pair import joined


class Tokens:
    """Tokens of one field as they are spelt: four columns that grow together."""

    def __init__(self, text: Text, field: int) -> None:
        self.string = text.strings[field]
        self.word_of, self.place_of = [-1] * len(self.string), [-1] * len(self.string)
        for position, (start, end) in enumerate(text.spans[field], start=text.fields[field].start):
            self.word_of[start:end] = [position] * (end - start)
            self.place_of[start:end] = range(end - start)
        self.ids: list[int] = []
        self.words: list[int] = []
        self.places: list[int] = []
        self.runs: list[int] = []

    def add(self, ids: Sequence[int], words: Sequence[int], places: Sequence[int], run: int) -> None:
        """Add tokens of one run."""
        self.ids += ids
        self.words += words
        self.places += places
        self.runs += [run] * len(ids)


def spelling(fields: Sequence[Tokens], max_length: int) -> Spelling:
    """Put fields into one row, cut to ``max_length`` as the encoder cuts it; rooms do not count."""
    whole = joined([[token for token in field.ids if token != PAD] for field in fields], max_length)
    cut = len(whole.tokens) if whole.second is None else whole.second
    columns: list[list[NDArray[np.int64]]] = [[], [], [], []]
    for field, kept in zip(fields, (cut, len(whole.tokens) - cut), strict=False):
        inside = np.cumsum(np.array(field.ids) != PAD) <= kept
        for column, values in zip(columns, (field.ids, field.words, field.places, field.runs), strict=True):
            column.append(np.array(values, dtype=np.int64)[inside])
    second = None if whole.second is None else len(columns[0][0])
    ids, words, places, runs = map(np.concatenate, columns)
    return Spelling(ids, words, places, runs, second)
