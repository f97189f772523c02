"""Models that answer with a text: translators, summarisers, anything from text to text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unfool.errors import VictimError

MOST_TOKENS = 256
"""Where an output ends if its model does not end it before: one limit for every model, told in its name."""


class Output(NamedTuple):
    """What a model made of a source."""

    text: str
    log_probability: float | None = None
    """The natural logarithm of its probability, summed over its tokens; None if the model does not tell."""


class Generator(ABC):
    """Base of models that generate. A subclass gives `generate` and a repr, which is the model's name."""

    approximate = False
    """Whether `generate` runs at less than full precision; `generate_exactly` never does."""
    device: Any = None
    fingerprint: str | None = None
    """What the model is made of, in one line; None if that cannot be told."""

    @abstractmethod
    def generate(self, sources: Sequence[str]) -> Sequence[Output | VictimError]:
        """Return one output a source; a `VictimError` in place of one that cannot be had.

        An output depends on its source alone, whatever else is asked at the same time.
        """

    def generate_exactly(self, sources: Sequence[str]) -> Sequence[Output | VictimError]:
        """Generate each output alone and at full precision."""
        return [output for source in sources for output in self.generate([source])]

    def reads_whole(self, source: str) -> bool:
        """Whether a source is no longer than the model reads."""
        return True


@runtime_checkable
class OpensUp(Protocol):
    """A model whose inside may be looked at and changed."""

    def generate_blanked(
        self, source: str, spans: Sequence[tuple[int, int]], words: Sequence[str] = ()
    ) -> tuple[Sequence[Output | VictimError], Sequence[Sequence[float]]]:
        """Generate for one source once for each span of characters, with the vectors there set to zero."""
        ...

    def summarise(self, sources: Sequence[str]) -> NDArray[np.float32]:
        """Return the mean encoder state of each source."""
        ...


class Slope(NamedTuple):
    """A loss and its gradient at the vectors of a source's tokens."""

    ids: list[int]
    gradient: NDArray[np.float32]
    loss: float


@runtime_checkable
class HasSlopes(Protocol):
    """A model that can be differentiated at the vectors of its source's tokens."""

    @property
    def table(self) -> Any:
        """The vectors of all source tokens, [ids, dimensions], a tensor."""
        ...

    def spell_words(self) -> dict[int, str]:
        """Return the words that are one token each in a source, by token."""
        ...

    def places(self, source: str) -> Sequence[tuple[int, int]]:
        """Return where in a source each of its tokens stands; an empty place for one that stands nowhere."""
        ...

    def slopes(self, sources: Sequence[str], outputs: Sequence[str], words: Sequence[str] = ()) -> list[Slope]:
        """Differentiate what brings a goal nearer where it falls.

        With words, that is how far they are behind at their best places in what the model makes of each source;
        without, the log-probability of the given outputs, a token on average.
        """
        ...


@runtime_checkable
class ScoresOutputs(Protocol):
    """A model that can say how likely a given output is."""

    def force(self, sources: Sequence[str], outputs: Sequence[str]) -> Sequence[float]:
        """Return the log-probability of each output, given its source."""
        ...


@runtime_checkable
class WeighsWords(Protocol):
    """A model that can say how near it comes to a word while it generates."""

    def generate_weighing(
        self, sources: Sequence[str], words: Sequence[str]
    ) -> tuple[Sequence[Output | VictimError], Sequence[Sequence[float]]]:
        """Return the outputs, and for each the best log-probability of every word's first token at any place."""
        ...
