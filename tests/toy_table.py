"""A victim whose attention, states and vectors stand in tables, so that every figure can be worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from tests.toys import BagOfWords
from unfool.engine import FunctionService, Outcome, Status, Verdict
from unfool.text import Text
from unfool.victims import Attention, Hidden, Summaries

VECTORS = {
    "good": (3.0, 4.0),
    "bad": (0.0, 0.0),
    "film": (0.0, 2.0),
    "a": (1.0, 0.0),
}


class Table(BagOfWords):
    """Reads at most four words, each as one token behind one that is no word.

    A word longer than three letters is two tokens, of which the second lies twice as far from zero. The first layer
    is the words' vectors, the second adds the sum over all words to each.
    """

    def __repr__(self) -> str:
        return "zoo:BERT@yelp_polarity#1"

    @cached_property
    def hidden(self) -> FunctionService:
        return FunctionService(lambda texts: [self._hidden(text) for text in texts])

    @cached_property
    def attention(self) -> FunctionService:
        return FunctionService(lambda texts: [self._attention(text) for text in texts])

    @cached_property
    def summaries(self) -> FunctionService:
        return FunctionService(lambda texts: [self._summary(text) for text in texts])

    def _tokens(self, text: Text) -> list[tuple[int, tuple[float, ...]]]:
        tokens: list[tuple[int, tuple[float, ...]]] = [(-1, (50.0, 50.0))]
        for place, word in enumerate(text.words[:4]):
            vector = VECTORS.get(word, (9.0, 9.0))
            tokens += [(place, vector)] * (1 if len(word) < 4 else 2)
        return tokens

    def _hidden(self, text: Text) -> Hidden:
        tokens = self._tokens(text)
        states = np.array([vector for _, vector in tokens], dtype=np.float32)
        for at in range(1, len(tokens)):
            if tokens[at][0] == tokens[at - 1][0]:
                states[at] *= 2
        above = states + states[1:].sum(axis=0)
        return Hidden(np.array([place for place, _ in tokens]), np.stack([states, above]))

    def _attention(self, text: Text) -> Attention:
        words = np.array([place for place, _ in self._tokens(text)])
        first = np.arange(1, len(words) + 1) / np.arange(1, len(words) + 1).sum()
        last = first[::-1]
        weights = np.tile(np.stack([first, last])[:, None, None, :], (1, 1, len(words), 1))
        return Attention(words, weights.astype(np.float32))

    def _summary(self, text: Text) -> Summaries:
        vectors = np.array([VECTORS.get(word, (9.0, 9.0)) for word in text.words]).sum(axis=0, keepdims=True)
        return Summaries(vectors, np.array([[0.5, 0.5]]))


def outcome(
    original: str | Sequence[str],
    perturbed: str | Sequence[str],
    status: Status = Status.SUCCESS,
    names: tuple[str, ...] = ("text",),
) -> Outcome:
    """An outcome of these texts; its counts are of no interest here."""
    before, after = (
        (strings,) if isinstance(strings, str) else tuple(strings) for strings in (original, perturbed)
    )
    verdict = Verdict(0, 0.9)
    return Outcome(0, 0, status, "", before, after, verdict, verdict, 1, 1, 1, 1, 1, 1, names)
