"""Toy victims: cheap, deterministic, and every word matters."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unfool.engine import Attack, Budget, Constraint, Failure, Floats, Goal, Outcome, Predictor, attack_samples
from unfool.errors import VictimError
from unfool.text import Sample, Text
from unfool.victims import Input, TextVictim


@cache
def word_weights(word: str, classes: int) -> tuple[float, ...]:
    """A number between -1 and 1 a class, made of the letters of the word."""
    return tuple(zlib.crc32(f"{label} {word}".encode()) % 2001 / 1000 - 1 for label in range(classes))


class BagOfWords(TextVictim):
    """Adds up a weight a word and class; a word's weights come from its letters.

    Args:
        classes: How many labels there are.
        scale: How much a word weighs at most.
        lean: How much the first label weighs by itself; a victim that leans is harder to fool.
    """

    def __init__(self, classes: int = 2, scale: float = 1.0, lean: float = 0.0) -> None:
        self.labels = tuple(f"class {number}" for number in range(classes))
        self._scale, self._lean = scale, lean

    def __repr__(self) -> str:
        return f"BagOfWords({len(self.labels)})"

    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
        return np.stack([self.probability_row(strings) for strings in inputs])

    def probability_row(self, strings: Input) -> Floats:
        words = [word for string in strings for word in string.lower().split()]
        logits = self._scale * np.array([word_weights(word, len(self.labels)) for word in words or ("",)]).sum(
            axis=0
        )
        logits[0] += self._lean
        powers = np.exp(logits - logits.max())
        return np.asarray(powers / powers.sum(), dtype=np.float32)

    def label(self, strings: Input) -> int:
        return int(self.probability_row(strings).argmax())


class Recording(BagOfWords):
    """Remembers every text it was asked about, in order."""

    def __init__(self, classes: int = 2) -> None:
        super().__init__(classes)
        self.seen: list[Input] = []

    def probabilities(self, inputs: Sequence[Input]) -> ArrayLike | Sequence[ArrayLike | VictimError]:
        self.seen += inputs
        return super().probabilities(inputs)


def labelled(victim: BagOfWords, texts: Iterable[Text | str]) -> list[Sample]:
    """Samples that the victim gets right, so that there is something to attack."""
    made = [Text.of(text) if isinstance(text, str) else text for text in texts]
    return [Sample(number, text, victim.label(text.strings)) for number, text in enumerate(made)]


def run(
    victim: Predictor,
    samples: Iterable[Sample],
    attack: Attack,
    *,
    goal: Goal | None = None,
    budget: Budget | None = None,
    constraints: Sequence[Constraint] = (),
    seed: int = 0,
    width: int = 256,
) -> dict[int, Outcome | Failure]:
    """Attack all samples and return what came of each, by id."""
    steps = attack_samples(
        victim, samples, attack, goal=goal, budget=budget, constraints=constraints, seed=seed, width=width
    )
    return {result.id: result for step in steps for result in step}


def outcomes(*arguments: Any, **options: Any) -> list[Outcome]:
    """Like `run`, where no sample may fail to give an outcome; in order of their ids."""
    found = run(*arguments, **options)
    assert all(isinstance(result, Outcome) for result in found.values()), found
    return [result for _, result in sorted(found.items()) if isinstance(result, Outcome)]
