"""Which tokens of a net of characters spell words it knows, looked up for a whole batch on its device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from unfool.victims import CharacterReader

if TYPE_CHECKING:
    import torch

_LONGEST = 64
"""Characters by whose order words are told apart; those behind them count in any order."""


class KnownWords:
    """A vocabulary in a net's own characters; words are told apart by sums of 64 bits, in any case.

    Args:
        words: The vocabulary.
        reader: The net's alphabet.
        tokens: How many tokens the net has.
        device: Where its batches are.
    """

    def __init__(self, words: Iterable[str], reader: CharacterReader, tokens: int, device: torch.device) -> None:
        import torch

        known = zip(reader.letters, reader.letter_ids.tolist(), strict=True)
        letters: dict[str, int] = {letter: token for letter, token in known if letter.isalnum() or letter == "_"}
        lower = np.zeros(tokens, dtype=np.int64)
        for letter, token in letters.items():
            lower[token] = letters.get(letter.lower(), token)
        weights = np.random.default_rng(0).integers(1, 2**62, size=_LONGEST)
        sums = {
            int(np.sum(lower[[letters[c] for c in word]] * weights[np.minimum(np.arange(len(word)), _LONGEST - 1)]))
            for word in map(str.lower, words)
            if word and all(letter in letters for letter in word)
        }
        self._lower = torch.tensor(lower, device=device)
        """A token's lower case; 0 for what is part of no word."""
        self._weights = torch.tensor(weights, device=device)
        self._sums = torch.tensor(sorted(sums), dtype=torch.int64, device=device)

    def within(self, ids: torch.Tensor) -> torch.Tensor:
        """Return for each token whether the word it is part of is known."""
        import torch

        lower = self._lower[ids]
        inside = lower > 0
        words = (~inside).long().cumsum(1)
        at = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
        before = torch.where(inside, -1, at).cummax(1).values
        places = (at - before - 1).clamp(0, _LONGEST - 1)
        sums = torch.zeros((ids.shape[0], ids.shape[1] + 1), dtype=torch.int64, device=ids.device)
        sums.scatter_add_(1, words, torch.where(inside, lower * self._weights[places], 0))
        return torch.isin(sums, self._sums).gather(1, words) & inside
