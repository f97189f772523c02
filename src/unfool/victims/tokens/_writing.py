"""What a tokenizer's tokens write, and how it reads what they wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unfool.text import Text

Read = Callable[[Text], tuple[Sequence[int], Sequence[int]]]


class Tokenizing:
    """A tokenizer both ways.

    Args:
        tokenizer: A tokenizer of transformers.
        read: Returns all tokens that the net reads for a text, and the word each is part of; -1 for none.
    """

    def __init__(self, tokenizer: Any, read: Read) -> None:
        self._tokenizer, self._read = tokenizer, read

    @cached_property
    def plain(self) -> NDArray[np.bool_]:
        """Which tokens write printable ASCII and nothing else."""
        written = self._tokenizer.batch_decode([[number] for number in range(len(self._tokenizer))])
        plain = np.array([text.isascii() and text.isprintable() and text != "" for text in written])
        plain[self._tokenizer.all_special_ids] = False
        return plain

    def read(self, text: Text) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a text's tokens, and the word each is part of; -1 for none."""
        ids, words = self._read(text)
        return np.array(ids, dtype=np.int64), np.array(words, dtype=np.int64)

    def write(self, ids: Sequence[int]) -> str:
        """Return what tokens write."""
        written: str = self._tokenizer.decode(list(ids), clean_up_tokenization_spaces=False)
        return written
