"""What the zoo's encoders share: special token ids, and rows of one text or two."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.text import Text
from unfool.victims.tokens import Whole

PAD, UNKNOWN = 0, 1
Ints = NDArray[np.int64]


class NetEncoder(ABC):
    """Base of encoders that add nothing to the tokens of a text, and can be stored; see `Encoder` of victims."""

    splices = True
    lead = ""
    prefix: tuple[int, ...] = ()
    middle: tuple[int, ...] = ()
    suffix: tuple[int, ...] = ()
    pad = PAD
    max_length: int
    vocabulary: Sequence[str]
    """Words that can stand by themselves."""
    unknown: str
    """A word the net knows nothing of."""

    @abstractmethod
    def __len__(self) -> int:
        """Return how many token ids there are."""

    @abstractmethod
    def pieces(self, chunks: Sequence[str]) -> list[list[int]]:
        """Encode chunks, each by itself."""

    @abstractmethod
    def words_of_tokens(self, text: Text) -> tuple[Whole, list[int]]:
        """Encode a text whole and say which word each token comes from; -1 for none."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return what `encoder_from_json` makes this encoder of."""

    def whole(self, inputs: Sequence[tuple[str, ...]]) -> list[Whole]:
        """Encode rendered texts, cut to the longest length."""
        return [joined(self.pieces(strings), self.max_length) for strings in inputs]


def joined(fields: list[list[int]], max_length: int) -> Whole:
    """Put one text, or a pair end to end, into a row cut to ``max_length``; of a pair the longer text is cut."""
    if len(fields) == 1:
        return Whole(fields[0][:max_length], None)
    first, second = fields
    kept = max(max_length - len(second), min(len(first), max_length // 2))
    first = first[:kept]
    return Whole(first + second[: max_length - len(first)], len(first))
