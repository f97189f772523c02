"""Victims that answer by a vote among several readings of a text."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Generic, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from unfool.defences._random import drawn_seed
from unfool.engine import Answers, Later, Predictor
from unfool.errors import VictimError
from unfool.settings import at_least, written_settings
from unfool.stats import softmax
from unfool.text import Text, Variants
from unfool.victims import (
    CharacterReader,
    Input,
    Spells,
    StringRows,
    WhiteBoxVictim,
    WordEmbeddings,
    WrappedVictim,
    checked,
)

Vote = Literal["logits", "probabilities", "majority"]
Fields = Literal["last", "all"]

_SMALLEST_SHARE = 1e-12


@dataclass(frozen=True, kw_only=True)
class VoteSettings:
    """What every voting victim can be told."""

    vote: Vote = "logits"
    """What is averaged over the readings: raw outputs, probabilities, or one vote each (``majority``)."""
    fields: Fields = "last"
    """Of a pair, whether only the second text is perturbed, as FireBERT's authors did, or both."""
    seed: int = 0
    """Together with a text, decides every draw about it."""


S = TypeVar("S", bound=VoteSettings)


class Ballots(NamedTuple):
    """Raw outputs of every reading of every text, those of one text side by side."""

    logits: NDArray[np.floating]
    weights: NDArray[np.float64]
    starts: NDArray[np.int64]
    """Where the readings of each text begin."""
    errors: Mapping[int, VictimError]
    """By text."""


class VotingVictim(WrappedVictim, Generic[S]):
    """Base of victims around another one; a subclass says what the readings of a text are.

    An answer depends on the settings and the text alone, never on what else is asked or in which order.

    Args:
        kind: What the defence is called in a victim's name.
        victim: The victim inside.
        net: The net whose gradients tell the important words.
        settings: The defence's settings.
    """

    characters: CharacterReader

    def __init__(self, kind: str, victim: Predictor, net: WhiteBoxVictim, settings: S) -> None:
        at_least(0, seed=settings.seed)
        super().__init__(victim)
        self.net, self.settings, self.device = net, settings, net.device
        self._kind = kind
        if isinstance(net, Spells):
            self.characters = net.characters

    def __repr__(self) -> str:
        plain = type(self.settings)()
        values = {field.name: getattr(self.settings, field.name) for field in fields(self.settings)}
        told = {name: value for name, value in values.items() if value != getattr(plain, name)}
        settings = f"[{written_settings(told)}]" if told else ""
        return f"{self._kind}{settings}:{self.inner!r}"

    @cached_property
    def embeddings(self) -> WordEmbeddings:
        """The words the net knows, with their vectors."""
        return self.net.embeddings

    def draw(self, number: int) -> Self:
        """Return the same victim with another draw of its randomness; draw 0 is its own."""
        other = copy.copy(self)
        other.settings = replace(self.settings, seed=drawn_seed(self.settings.seed, number))
        if isinstance(self.inner, VotingVictim):
            other.inner = self.inner.draw(number)
        return other

    def rows(self, asked: Sequence[Variants]) -> StringRows:
        """Render what the samples ask."""
        return StringRows([text.strings for variants in asked for text in variants])

    def launch(self, rows: StringRows, chosen: NDArray[np.intp]) -> Later[Answers]:
        """Start on all readings of some of the texts together."""
        return self._read(_chosen(rows, chosen), full=False).then(self._answers)

    def launch_logits(self, rows: StringRows, chosen: NDArray[np.intp]) -> Later[Answers]:
        """Like `launch`, for the vote before it is made into probabilities."""
        return self._read(_chosen(rows, chosen), full=False).then(self._raw_answers)

    def check(self, inputs: Sequence[Input]) -> Later[Answers]:
        """Ask about rendered texts at full precision; on a CPU, each by itself."""
        return self._read(inputs, full=True).then(self._answers)

    def confirm_logits(self, inputs: Sequence[Input]) -> Answers:
        """Like `confirm`, for the vote before it is made into probabilities."""
        return self._read(inputs, full=True).then(self._raw_answers).result()

    def _answers(self, ballots: Ballots) -> Answers:
        scores = count_votes(ballots, self.settings.vote, self.decimals)
        answers = checked(repr(self), softmax(scores), len(scores), len(self.labels))
        return Answers(answers.values, {**answers.errors, **ballots.errors})

    def _raw_answers(self, ballots: Ballots) -> Answers:
        scores = count_votes(ballots, self.settings.vote, self.decimals)
        return Answers(scores.astype(np.float32), dict(ballots.errors))

    @abstractmethod
    def _read(self, inputs: Sequence[Input], full: bool) -> Later[Ballots]:
        """Start on the readings of some texts, in full precision and independently of one another if so asked."""

    @property
    def _one_by_one(self) -> bool:
        """Whether texts that are checked may not share a batch: on a CPU it moves the last bits of an answer."""
        return self.net.device.type == "cpu"

    def parsed(self, strings: Input) -> Text:
        """Return a text whose editable words are those that may be perturbed.

        It is made of the strings alone, so that a check meets the same readings as the search.
        """
        named = {str(number): string for number, string in enumerate(strings)}
        return Text.from_fields(named, None if self.settings.fields == "all" else str(len(strings) - 1))


def _chosen(rows: StringRows, chosen: NDArray[np.intp]) -> list[Input]:
    return [rows.inputs[number] for number in chosen.tolist()]


def count_votes(ballots: Ballots, vote: Vote, decimals: int) -> NDArray[np.float64]:
    """Return one row of raw scores a text, whose softmax is the victim's answer.

    In a majority vote it is the shares of the votes; equal shares go to the lowest class.
    """
    logits = ballots.logits.astype(np.float64)
    if not len(ballots.starts):
        return logits[:0]
    counted = logits if vote == "logits" else softmax(logits)
    if vote == "majority":
        # Rounded first, or a batch's noise could decide between two classes that are equal.
        counted = np.eye(logits.shape[1])[np.round(counted, decimals).argmax(axis=1)]
    sums = np.add.reduceat(counted * ballots.weights[:, None], ballots.starts)
    means = sums / np.add.reduceat(ballots.weights, ballots.starts)[:, None]
    return means if vote == "logits" else np.log(means.clip(_SMALLEST_SHARE))
