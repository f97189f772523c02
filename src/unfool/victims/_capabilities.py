"""What victims tell beyond predictions: how it is asked and answered, and the error if an attack needs more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, Later, Pending, Predictor, Service
from unfool.errors import UserError
from unfool.text import Text

if TYPE_CHECKING:
    import torch

_DECIMALS = 4
"""Places of a projection on a direction of length one that do not move with the batch's shape."""
_SCORES_AT_ONCE = 1 << 26


class Spelling(NamedTuple):
    """A text's tokens, one row each, as in `Gradients`.

    Behind a word that could take one more character stands a token of padding, which moves no answer: gradients
    there tell what a character in that place would do.
    """

    ids: NDArray[np.int64]
    words: NDArray[np.int64]
    """The position of the word a token is part of; -1 for none."""
    places: NDArray[np.int64]
    """Which character of that word it is, or would be; -1 for marks."""
    runs: NDArray[np.int64]
    """Tokens of one run move up or back when one of them is taken out or put in; others stay where they are."""
    second: int | None
    """Where a pair's second text starts."""


class CharacterReader(Protocol):
    """A net's alphabet, and how it spells texts with it."""

    pad: int
    """The token that stands for no character."""

    @property
    def letters(self) -> str:
        """The characters that may stand inside a word without cutting it in two."""

    @property
    def letter_ids(self) -> NDArray[np.int64]:
        """The token of each letter."""

    def spell(self, text: Text) -> Spelling:
        """Return the tokens of a text, with room behind its words."""


@runtime_checkable
class Spells(Protocol):
    """Reads texts character by character; its gradients stand row by row beside the spelling."""

    @property
    def characters(self) -> CharacterReader:
        """The alphabet and the spelling."""


@runtime_checkable
class Differentiates(Protocol):
    """Offers gradients of its loss at the input embeddings."""

    @property
    def gradients(self) -> Service:
        """A service from `GradientRequest` to `Gradients`."""


@runtime_checkable
class Attends(Protocol):
    """Offers its attention weights."""

    @property
    def attention(self) -> Service:
        """A service from `Text` to `Attention`."""


@runtime_checkable
class Embeds(Protocol):
    """Offers its hidden states."""

    @property
    def hidden(self) -> Service:
        """A service from `Text` to `Hidden`."""


@runtime_checkable
class Zeroes(Protocol):
    """Offers answers about a text one of whose words it is blind to."""

    @property
    def zeroed(self) -> Service:
        """A service from `Zeroed` to probabilities, one row a position."""


@runtime_checkable
class Summarises(Protocol):
    """Offers what it makes of a text before it decides."""

    @property
    def summaries(self) -> Service:
        """A service from a `Text`, or `Variants` of one, to `Summaries`."""


@runtime_checkable
class KnowsWords(Protocol):
    """Offers the vectors of the words it knows as one token each."""

    @property
    def embeddings(self) -> Service:
        """`WordEmbeddings`; as a service, from `Projection` to a word."""


class TokenReader(Protocol):
    """How a net's tokenizer reads texts, and what its tokens write."""

    @property
    def plain(self) -> NDArray[np.bool_]:
        """Which tokens write printable ASCII and nothing else."""

    def read(self, text: Text) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return a text's tokens, one row each as in `Gradients`, and the word each is part of; -1 for none."""

    def write(self, ids: Sequence[int]) -> str:
        """Return what tokens write."""


@runtime_checkable
class ReadsTokens(Protocol):
    """Offers its tokenizer."""

    @property
    def tokenizing(self) -> TokenReader:
        """What reads and writes tokens."""


class GradientRequest(NamedTuple):
    """The text, and the label whose cross-entropy, or raw output, is differentiated."""

    text: Text
    label: int
    of: Literal["loss", "logit"] = "loss"
    one_hot: bool = False
    """Whether to differentiate by the tokens' one-hot vectors: a number for every token there could be."""
    since: int = 0
    """The first word asked about, or the last that is read if that comes before it. Gradients at earlier words
    may be left out, and are then zero."""


class Zeroed(NamedTuple):
    """A text, and the positions of the words whose vectors are set to zero, one word at a time."""

    text: Text
    positions: Sequence[int]


class Gradients(NamedTuple):
    """Gradient at each token's vector; ``words[t]`` is the word token t comes from, -1 for none."""

    ids: NDArray[np.int64]
    words: NDArray[np.int64]
    gradient: Floats
    """[tokens, dimensions], or [tokens, ids] by one-hot vectors."""
    loss: float


class Attention(NamedTuple):
    """Attention weights over all tokens, [layers, heads, from, to]; each row sums to one."""

    words: NDArray[np.int64]
    weights: Floats


class Summaries(NamedTuple):
    """What the net decides by, and how it decides; one row a text."""

    vectors: Floats
    answers: Floats
    """Probabilities, rounded as the victim's answers are."""


class Hidden(NamedTuple):
    """Hidden states, [layers, tokens, dimensions]; layer 0 is the embedding."""

    words: NDArray[np.int64]
    states: Floats


class Padding(NamedTuple):
    """What stands behind a text that a net reads further than its end."""

    word: str
    """Written into a text, it is read as padding."""
    tokens: int
    """How many tokens the net reads, padding among them."""


class Projection(NamedTuple):
    """A direction among a net's word vectors, and whether only a word's angle to it counts, not its length."""

    direction: Floats
    cosine: bool = False


class WordEmbeddings:
    """Words that are one token each, and their vectors; as a service, from `Projection` to the farthest word.

    Args:
        words: The words.
        vectors: One row a word, where the net lives.
    """

    def __init__(self, words: Sequence[str], vectors: torch.Tensor) -> None:
        self.words, self._vectors = words, vectors

    @cached_property
    def matrix(self) -> Floats:
        """The vectors, one row a word."""
        values: Floats = self._vectors.float().cpu().numpy()
        return values

    def row(self, word: str) -> int | None:
        """Return the row of a word, as it is written or else in lower case, or None if the net does not know it."""
        found = self._rows.get(word)
        return self._rows.get(word.lower()) if found is None else found

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def launch(self, requests: Sequence[Projection]) -> Pending:
        """Find the words, for many directions in one product."""
        return Later.of([self.words[number] for number in self._farthest(requests)])

    def _farthest(self, requests: Sequence[Projection]) -> Iterator[int]:
        import torch

        step = max(1, _SCORES_AT_ONCE // len(self.words))
        for start in range(0, len(requests), step):
            chosen = requests[start : start + step]
            directions = torch.from_numpy(np.stack([request.direction for request in chosen]))
            directions = torch.nn.functional.normalize(directions.to(self._vectors), dim=1)
            scores = directions @ self._vectors.T
            if any(request.cosine for request in chosen):
                by_angle = torch.tensor([request.cosine for request in chosen], device=self._vectors.device)
                scores = torch.where(by_angle[:, None], scores / self._lengths, scores)
            scores = scores.round_(decimals=_DECIMALS)
            # NumPy's is ten times as fast as PyTorch's on a CPU; both take the first of equals.
            yield from (scores if scores.is_cuda else scores.numpy()).argmax(1).tolist()

    @cached_property
    def _lengths(self) -> torch.Tensor:
        lengths: torch.Tensor = self._vectors.norm(dim=1).clamp_min(1e-12)
        return lengths


NEEDS = {
    "gradients": "the net's gradients",
    "attention": "the net's attention",
    "hidden": "the net's hidden states",
    "zeroed": "access to the network's internals, to blank out words",
    "summaries": "the vector that the net decides by",
    "embeddings": "the net's word vectors",
    "characters": "a net that reads characters",
    "tokenizing": "its tokenizer",
}
"""What each capability is, in words for a person."""

CAPABILITIES: dict[str, type] = {
    "gradients": Differentiates,
    "attention": Attends,
    "hidden": Embeds,
    "zeroed": Zeroes,
    "summaries": Summarises,
    "embeddings": KnowsWords,
    "characters": Spells,
    "tokenizing": ReadsTokens,
}


def require(victim: Predictor, needs: tuple[str, ...], attack: str) -> None:
    """Refuse a victim that lacks what an attack needs, before anything runs.

    Raises:
        UserError: The victim lacks a capability; the message names both and what would do.
    """
    lacking = [need for need in needs if not _offers(victim, need)]
    if lacking:
        reads = "a net that reads characters (such as zoo:CharCNN-LSTM-Adam@ag_news)"
        use = reads if "characters" in lacking else "a neural victim (hf:… or zoo:…)"
        raise UserError(
            f"the attack {attack!r} needs {' and '.join(NEEDS[need] for need in lacking)}, and {victim!r} does not "
            f"offer {'that' if len(lacking) == 1 else 'these'}; "
            f"use {use} or an attack that only needs predictions"
        )


def _offers(victim: Predictor, need: str) -> bool:
    # A net of characters has a table of vectors, too, but no words in it.
    return isinstance(victim, CAPABILITIES[need]) and (
        need != "embeddings" or bool(getattr(victim, "embeddings").words)  # noqa: B009
    )
