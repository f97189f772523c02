"""Fronts that make a word's vector of its characters: what they share, and the CharCNN."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn

from unfool.zoo.encoders import FIRST_SYMBOL, PAD, START
from unfool.zoo.fronts.front import Front, Read


class CharacterWords(NamedTuple):
    """The characters of each word, the mark first."""

    vectors: Tensor
    """[texts, words, characters, dimensions]; zeros fill short words."""
    characters: Tensor
    """[texts, words, characters]: whether there is a character."""
    words: Tensor
    """[texts, words]: whether there is a word."""
    unit_of_token: Tensor
    """[texts, tokens]: the word each token is part of; 0 for padding."""


def gather_words(vectors: Tensor, ids: Tensor, mask: Tensor) -> CharacterWords:
    """Put the characters of a word side by side.

    Args:
        vectors: The tokens' vectors, [texts, tokens, dimensions].
        ids: The tokens; `START` opens a word. `PAD` inside a text is room for a character that is not there.
        mask: Which tokens count.
    """
    starts = (ids == START) & mask
    count = starts.sum(1)
    word = (starts.cumsum(1) - 1).clamp(min=0)
    at = torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
    begun = torch.where(starts, at, 0).cummax(1).values
    place = torch.where(mask, at - begun, 0)
    # How many words and characters there are must be known to lay them out: on a GPU this waits for it.
    most, longest = max(1, int(count.max())), 1 + int(place.max()) if ids.numel() else 1
    flat = torch.where(mask, word * longest + place, most * longest)
    laid = vectors.new_zeros(len(ids), most * longest + 1, vectors.shape[2])
    laid = laid.scatter(1, flat[:, :, None].expand_as(vectors), vectors)
    filled = torch.zeros(len(ids), most * longest + 1, dtype=torch.bool, device=ids.device)
    filled = filled.scatter(1, flat, mask & (ids != PAD))
    words = torch.arange(most, device=ids.device) < count[:, None]
    shape = (len(ids), most, longest)
    return CharacterWords(
        laid[:, :-1].reshape(*shape, vectors.shape[2]),
        filled[:, :-1].reshape(shape),
        words,
        torch.where(mask, word, 0),
    )


class SpeltFront(Front):
    """Base of fronts over words of characters: a subclass spells words, and may set them into their context."""

    @abstractmethod
    def spell(self, characters: Tensor, real: Tensor) -> Tensor:
        """Return the vectors of words, [words, width].

        Args:
            characters: The vectors of each word's opening mark and characters, [words, characters, dimensions].
            real: Which of them there are, [words, characters].
        """

    def in_context(self, words: Read) -> Read:
        """Return what the layers read of spelt words."""
        return words

    def read(self, vectors: Tensor, ids: Tensor, mask: Tensor) -> Read:
        """Return a vector a word."""
        return self.in_context(self._spelt(vectors, ids, mask))

    def read_tokens(self, ids: Tensor, mask: Tensor) -> Read:
        """Return a vector a word."""
        return self.in_context(self.spell_tokens(ids, mask))

    def spell_tokens(self, ids: Tensor, mask: Tensor) -> Read:
        """Spell the words of tokens as they are.

        Where nothing is learnt, each distinct word is spelt once: the texts of a search are mostly the same words.
        """
        if self.training or torch.is_grad_enabled():
            return self._spelt(self.embed(ids), ids, mask)
        laid = gather_words(ids[:, :, None], ids, mask)
        distinct, which = torch.unique(laid.vectors.flatten(0, 1).squeeze(2), dim=0, return_inverse=True)
        words = self.spell(self.embed(distinct), distinct != PAD)[which]
        return Read(words.reshape(*laid.words.shape, -1), laid.words, laid.unit_of_token)

    def _spelt(self, vectors: Tensor, ids: Tensor, mask: Tensor) -> Read:
        laid = gather_words(vectors, ids, mask)
        words = self.spell(laid.vectors.flatten(0, 1), laid.characters.flatten(0, 1))
        return Read(words.reshape(*laid.words.shape, -1), laid.words, laid.unit_of_token)


class Highways(nn.ModuleList):
    """Layers that mix what they read with what they make of it, gate by gate."""

    def __init__(self, width: int, count: int) -> None:
        layers = [nn.Linear(width, 2 * width) for _ in range(count)]
        super().__init__(layers)
        for layer in layers:
            nn.init.constant_(layer.bias[width:], -2.0)  # at first a highway mostly carries its input

    def forward(self, words: Tensor) -> Tensor:
        """Return what the last layer says of each word."""
        for layer in self:
            new, gate = layer(words).chunk(2, dim=1)
            gate = gate.sigmoid()
            words = gate * new.relu() + (1 - gate) * words
        return words


class CharCNN(SpeltFront):
    """Filters over a word's characters, the strongest answers, and highway layers (Kim et al., 2016).

    Every word, known or not, has a vector. A filter sees ``kernel`` characters.
    """

    def __init__(
        self,
        rows: int,
        dimensions: int = 25,
        *,
        frozen: bool = False,
        kernel: int = 6,
        filters: int = 1000,
        highways: int = 2,
    ) -> None:
        super().__init__(
            rows, dimensions, first=FIRST_SYMBOL, frozen=frozen, kernel=kernel, filters=filters, highways=highways
        )
        self.width, self._kernel = filters, kernel
        self.filters = nn.Conv1d(dimensions, filters, kernel)
        self.highways = Highways(filters, highways)

    def spell(self, characters: Tensor, real: Tensor) -> Tensor:
        """Return the vectors of words from those of their characters."""
        # Zeros behind a word: one filter answer for each character, however short the word.
        padded = nn.functional.pad(characters.transpose(1, 2), (0, self._kernel - 1))
        answers = self.filters(padded).tanh()
        strongest: Tensor = answers.masked_fill(~real[:, None], -1.0).amax(2)
        words: Tensor = self.highways(strongest)
        return words
