"""Fronts that make a word's vector of its characters."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor

from unfool.zoo.encoders import PAD
from unfool.zoo.fronts._front import Front, Read
from unfool.zoo.fronts._words_of_characters import gather_words


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
