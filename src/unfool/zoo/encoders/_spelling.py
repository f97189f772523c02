"""How nets of characters spell a text: its tokens, and the way back to its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unfool.text import Text
from unfool.victims import Spelling
from unfool.zoo.encoders._encoder import PAD, Ints, joined


class Tokens(NamedTuple):
    """The tokens of a string."""

    ids: Ints
    at: Ints
    """The character each token stands for, or the one beside it for a mark or room."""
    shift: Ints
    """0 for characters, 1 for room behind one, -1 for marks."""
    runs: Ints
    """Numbered from 0."""

    @classmethod
    def of(cls, ids: Sequence[int], at: Sequence[int], shift: Sequence[int], runs: Sequence[int]) -> Tokens:
        """Make tokens of lists."""
        return cls(*(np.array(column, dtype=np.int64) for column in (ids, at, shift, runs)))

    @classmethod
    def joined(cls, parts: Sequence[Tokens], starts: Sequence[int]) -> Tokens:
        """Put the tokens of several pieces of a string together, given where each piece starts."""
        if not parts:
            return cls.of([], [], [], [])
        lengths = [len(part.ids) for part in parts]
        behind = np.cumsum([int(part.runs[-1]) + 1 if len(part.runs) else 0 for part in parts])
        ids, at, shift, runs = map(np.concatenate, zip(*parts, strict=True))
        first_runs = np.concatenate(([0], behind[:-1]))
        return cls(ids, at + np.repeat(starts, lengths), shift, runs + np.repeat(first_runs, lengths))


def spelling(text: Text, fields: Sequence[Tokens], max_length: int) -> Spelling:
    """Put fields into one row, cut to ``max_length`` as the encoder cuts it; rooms do not count."""
    whole = joined([field.ids[field.ids != PAD].tolist() for field in fields], max_length)
    cut = len(whole.tokens) if whole.second is None else whole.second
    rows: list[tuple[Ints, Ints, Ints, Ints]] = []
    runs = 0
    for number, (field, kept) in enumerate(zip(fields, (cut, len(whole.tokens) - cut), strict=False)):
        owners, places = _origins(text, number)
        words = owners[field.at]
        place = np.where((field.shift < 0) | (words < 0), -1, places[field.at] + np.maximum(field.shift, 0))
        inside = np.cumsum(field.ids != PAD) <= kept
        rows.append((field.ids[inside], words[inside], place[inside], field.runs[inside] + runs))
        runs += len(text.strings[number]) + 1
    ids, words, place, run = map(np.concatenate, zip(*rows, strict=True))
    return Spelling(ids, words, place, run, None if whole.second is None else len(rows[0][0]))


def respelt(before: Spelling, position: int, ahead: int, old: Tokens, new: Tokens, length: int) -> Spelling | None:
    """Return a spelling with other tokens for the chunk around a word, or None if the chunk has no tokens.

    The spelling before was not cut. The word is the only one in its chunk, with ``ahead`` characters before it;
    the new word has ``length``.
    """
    of_word = before.words == position
    if not of_word.any() or not len(new.ids):
        return None
    # The chunk starts as many tokens before the word's first as its own tokens say.
    start = int(of_word.argmax()) - int((old.at >= ahead).argmax())
    stop = start + len(old.ids)
    inside = (new.at >= ahead) & (new.at < ahead + length)
    words = np.where(inside, position, -1)
    places = np.where(inside & (new.shift >= 0), new.at - ahead + new.shift, -1)
    first_run = int(before.runs[start])
    more_runs = int(new.runs[-1]) - int(old.runs[-1])
    return Spelling(
        np.concatenate([before.ids[:start], new.ids, before.ids[stop:]]),
        np.concatenate([before.words[:start], words, before.words[stop:]]),
        np.concatenate([before.places[:start], places, before.places[stop:]]),
        np.concatenate([before.runs[:start], new.runs + first_run, before.runs[stop:] + more_runs]),
        None,
    )


def _origins(text: Text, field: int) -> tuple[Ints, Ints]:
    """Return for each character of a field the word it is part of and its place there; -1 for none."""
    spans = np.array(text.spans[field], dtype=np.int64).reshape(-1, 2)
    lengths = spans[:, 1] - spans[:, 0]
    owners = np.full(len(text.strings[field]), -1, dtype=np.int64)
    places = owners.copy()
    begins = np.repeat(np.cumsum(lengths) - lengths, lengths)
    inside = np.arange(int(lengths.sum())) - begins
    at = np.repeat(spans[:, 0], lengths) + inside
    owners[at] = np.repeat(np.arange(len(spans)) + text.fields[field].start, lengths)
    places[at] = inside
    return owners, places
