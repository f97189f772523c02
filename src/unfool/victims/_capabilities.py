"""What victims can do beyond predicting, and the one readable error where an attack needs what is not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unfool.engine import Floats, Predictor, Service
from unfool.errors import UserError
from unfool.text import Text
from unfool.victims._characters import Spells


@runtime_checkable
class Differentiates(Protocol):
    """Offers gradients of its loss at the input embeddings."""

    @property
    def gradients(self) -> Service:
        """A service from `GradientRequest` to `Gradients`."""
        ...


@runtime_checkable
class Attends(Protocol):
    """Offers its attention weights."""

    @property
    def attention(self) -> Service:
        """A service from `Text` to `Attention`."""
        ...


@runtime_checkable
class Embeds(Protocol):
    """Offers its hidden states."""

    @property
    def hidden(self) -> Service:
        """A service from `Text` to `Hidden`."""
        ...


@runtime_checkable
class Zeroes(Protocol):
    """Offers answers about a text one of whose words it is blind to."""

    @property
    def zeroed(self) -> Service:
        """A service from `Zeroed` to probabilities, one row a position."""
        ...


@runtime_checkable
class Summarises(Protocol):
    """Offers what it makes of a text before it decides."""

    @property
    def summaries(self) -> Service:
        """A service from a `Text`, or `Variants` of one, to `Summaries`."""
        ...


@runtime_checkable
class KnowsWords(Protocol):
    """Offers the vectors of the words it knows as one token each."""

    @property
    def embeddings(self) -> Service:
        """`WordEmbeddings`; as a service, from `Projection` to a word."""
        ...


class GradientRequest(NamedTuple):
    """The text, and the label whose cross-entropy, or raw output, is differentiated."""

    text: Text
    label: int
    of: Literal["loss", "logit"] = "loss"
    one_hot: bool = False
    """Whether to differentiate by the tokens' one-hot vectors: a number for every token there could be."""
    since: int = 0
    """The first word asked about, or the last that is read where that comes before it. Gradients at earlier words
    may be left out, and are then zero."""
    answer_next: bool = False
    """Whether the victim will be asked about the text next: a net keeps the answer that the same pass gives."""


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


NEEDS = {
    "gradients": "the net's gradients",
    "attention": "the net's attention",
    "hidden": "the net's hidden states",
    "zeroed": "access to the network's internals, to blank out words",
    "summaries": "the vector that the net decides by",
    "embeddings": "the net's word vectors",
    "characters": "a net that reads characters",
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
}


def require(victim: Predictor, needs: tuple[str, ...], attack: str) -> None:
    """Refuse a victim that lacks what an attack needs, before anything runs.

    Raises:
        UserError: The victim lacks a capability; the message names both and what would do.
    """
    lacking = [need for need in needs if not _offers(victim, need)]
    if lacking:
        reads = "a net that reads characters (such as zoo:CharCNN-LSTM@ag_news)"
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
