"""FIVE (FireBERT): the text, and copies with noise on the vectors of its most important tokens, in a vote."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.defences._random import drawn_seed, generator
from unfool.defences._votes import Ballots, VoteSettings, VotingVictim
from unfool.defences.switch import Importance, token_importance
from unfool.engine import Floats, FunctionService, Later, Predictor
from unfool.errors import UserError
from unfool.lexicon import stop_words
from unfool.settings import at_least
from unfool.text import Text
from unfool.victims import GradientRequest, Gradients, Input, WhiteBoxVictim
from unfool.victims.tokens import TokenBatch, upload
from unfool.victims.white_box import Cut

if TYPE_CHECKING:
    import torch

_DECIMALS = 5
"""Places of a probability that full precision does not move, whatever the search of the net itself runs in."""


@dataclass(frozen=True, kw_only=True)
class FiveSettings(VoteSettings):
    """Which tokens are perturbed, how, how often, and how votes are counted."""

    tokens: int = 1
    """The most important tokens of the text's words; all of them are perturbed in every copy."""
    samples: int = 10
    """Copies; the text as it is votes with them."""
    std: float = 2.3
    """Standard deviation of the noise on each number of a token's vector."""
    arm: Literal["noise", "mask"] = "noise"
    """``mask`` hides the tokens instead, for comparison: on some data large noise does no more than that."""
    importance: Importance = "gradient"
    """How importance is measured; see `SwitchSettings`."""
    stop_words: bool = False
    """Whether stop words are left alone; a text of nothing else is then read as it is."""
    noise: Literal["fresh", "text"] = "fresh"
    """``fresh``: the check that judges a text draws noise that no search has met, as a model that draws anew for
    each query does. ``text``: the same text always meets the same noise: an attack sees the very answer that judges
    it."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        at_least(1, tokens=self.tokens, samples=self.samples)
        at_least(0, std=self.std)


class _Spots(NamedTuple):
    """Places in a matrix of copies and what goes there: one row of vectors for each (text, copy, token)."""

    texts: NDArray[np.int64]
    copies: NDArray[np.int64]
    tokens: NDArray[np.int64]
    noise: Floats


class Five(VotingVictim[FiveSettings]):
    """Answers by a vote among the text and copies of it with perturbed vectors.

    Its gradients are those of the copies' mean raw outputs, by the vectors of the text, whatever the vote. The net
    runs at full precision, in the search, too.

    Args:
        victim: A net.
        settings: Which tokens are perturbed, how, how often, and how votes are counted.
    """

    def __init__(self, victim: Predictor, settings: FiveSettings | None = None) -> None:
        if not isinstance(victim, WhiteBoxVictim):
            raise UserError(
                f"five adds noise to the vectors of a net's tokens, and {victim!r} does not offer "
                "these; put it around a "
                "neural victim (five:hf:… or five:zoo:…), and other defences around that"
            )
        super().__init__("five", victim, victim, settings or FiveSettings())
        self.approximate, self.decimals = False, _DECIMALS

    @property
    def in_half(self) -> bool:
        """Never: the net reads vectors in full precision."""
        return False

    @property
    def gradients(self) -> FunctionService:
        """From `GradientRequest` to `Gradients`, averaged over the copies."""
        return FunctionService(self._gradients)

    def chosen_tokens(self, texts: Sequence[Text]) -> list[list[int]]:
        """Return the places of the tokens that are perturbed, most important first."""
        found: dict[int, list[int]] = {}
        for cut in self.net.in_batches(texts, self.net.backward_share):
            chosen = self._choose(self.net.embed(cut.batch), cut, texts)
            found |= dict(zip(cut.numbers, chosen, strict=True))
        return [found[number] for number in range(len(texts))]

    def _read(self, inputs: Sequence[Input], full: bool) -> Later[Ballots]:
        self.net.accept(map(len, inputs))
        texts = [self.parsed(strings) for strings in inputs]
        parts = [[text] for text in texts] if full and self._one_by_one else [texts]
        seed = _judges_seed(self.settings.seed) if full and self.settings.noise == "fresh" else self.settings.seed
        found = [logits for part in parts for logits in self._logits(part, seed)]
        copies = self._weights
        flat = np.concatenate(found) if found else np.empty((0, len(self.labels)))
        starts = np.arange(len(texts), dtype=np.int64) * len(copies)
        return Later.of(Ballots(flat, np.tile(copies, len(texts)), starts, {}))

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        """How much each reading counts; where tokens are hidden, all copies are alike and one is read."""
        samples = self.settings.samples
        return np.array([1, samples] if self.settings.arm == "mask" else [1] * (samples + 1), dtype=np.float64)

    def _logits(self, texts: Sequence[Text], seed: int) -> list[Floats]:
        """Return the raw outputs of each text and its copies; those of as many texts as fit go in one batch."""
        import torch

        found: dict[int, Floats] = {}
        for cut in self.net.in_batches(texts, max(self.net.backward_share, len(self._weights))):
            vectors = self.net.embed(cut.batch).detach()
            spots = self._spots(self._choose(vectors, cut, texts), cut, texts, vectors.shape[2], seed)
            # Left to itself, cuDNN cuts the numbers of recurrent and convolutional layers to ten bits.
            with torch.inference_mode(), torch.backends.cudnn.flags(enabled=True, allow_tf32=False):
                logits = self._logits_of_copies(vectors, cut.batch, spots).cpu().numpy()
            found |= dict(zip(cut.numbers, logits, strict=True))
        return [found[number] for number in range(len(texts))]

    def _choose(self, vectors: torch.Tensor, cut: Cut, texts: Sequence[Text]) -> list[list[int]]:
        """Return the most important tokens of the words that may be perturbed; of equal ones, the first."""
        shares = token_importance(self.net, vectors, cut.batch, None, self.settings.importance)
        left_alone = stop_words("textfooler")
        chosen: list[list[int]] = []
        for number, words, row in zip(cut.numbers, cut.words, shares, strict=True):
            text = texts[number]
            first = text.fields[-1].start if self.settings.fields == "last" else 0
            places = np.flatnonzero(words >= first)
            if self.settings.stop_words:
                places = places[[text.words[word].lower() not in left_alone for word in words[places]]]
            best = np.argsort(-row[places], kind="stable")[: self.settings.tokens]
            chosen.append(places[best].tolist())
        return chosen

    def _spots(
        self, chosen: Sequence[Sequence[int]], cut: Cut, texts: Sequence[Text], width: int, seed: int
    ) -> _Spots:
        copies = len(self._weights) - 1
        rows = [(row, copy, token) for row, some in enumerate(chosen) for copy in range(copies) for token in some]
        places, numbers, tokens = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        if self.settings.arm == "mask":
            return _Spots(places, numbers, tokens, np.empty((0, width), dtype=np.float32))
        noise = [
            generator(seed, texts[number].strings).standard_normal((copies * len(some), width), dtype=np.float32)
            for number, some in zip(cut.numbers, chosen, strict=True)
        ]
        return _Spots(places, numbers, tokens, np.concatenate(noise) * np.float32(self.settings.std))

    def _logits_of_copies(self, vectors: torch.Tensor, batch: TokenBatch, spots: _Spots) -> torch.Tensor:
        """Return raw outputs, [texts, copies, classes], the text as it is first."""
        copies = len(self._weights)
        repeated = vectors[:, None].repeat(1, copies, 1, 1)
        where = tuple(upload(numbers, self.device) for numbers in (spots.texts, spots.copies + 1, spots.tokens))
        if self.settings.arm == "mask":
            repeated = repeated.index_put(where, self._blank(vectors))
        else:
            repeated = repeated.index_put(where, upload(spots.noise, self.device), accumulate=True)
        ids, mask, types = (part.repeat_interleave(copies, dim=0) for part in batch)
        logits = self.net.logits_of(repeated.flatten(0, 1), TokenBatch(ids, mask, types))
        return logits.reshape(len(vectors), copies, -1)

    def _blank(self, vectors: torch.Tensor) -> torch.Tensor:
        """What a hidden token looks like: the net's own mask where it has learnt one, else nothing at all."""
        blank = self.net.blank
        return vectors.new_zeros(vectors.shape[2]) if blank is None else self.net.table.detach()[blank]

    def _gradients(self, requests: Sequence[GradientRequest]) -> list[Gradients]:
        texts = [request.text for request in requests]

        def reader(vectors: torch.Tensor, cut: Cut) -> Callable[[torch.Tensor], torch.Tensor]:
            chosen = self._choose(vectors, cut, texts)
            spots = self._spots(chosen, cut, texts, vectors.shape[2], self.settings.seed)
            weights = vectors.new_tensor(self._weights / self._weights.sum())[:, None]
            return lambda moved: (self._logits_of_copies(moved, cut.batch, spots) * weights).sum(1)

        return self.net.differentiated(requests, reader, self.net.backward_share * len(self._weights))


def _judges_seed(seed: int) -> int:
    """Return the seed of checks: none that `VotingVictim.draw` gives a search, whose draws have numbers from 0."""
    return drawn_seed(seed, -1)
