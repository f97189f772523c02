"""Variants of texts without a victim: what an attack makes of them, by its changes and its constraints alone."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool.attacks import Attack, find_attack, read_constraints
from unfool.attacks import Constraint as NamedConstraint
from unfool.data import Dataset
from unfool.engine import Budget, Constraint, Failure, attack_samples
from unfool.errors import UserError
from unfool.job._forewarnings import check_language, foreign_language
from unfool.text import Sample, Text
from unfool.victims import Input, TextVictim

MAX_WORDS = 0.1
"""The share of words that change at most, unless another is given."""
_AT_ONCE = 256
_TRIES = 4
"""Times as many texts are tried as are wanted; those that come again are left out."""


class Lot(TextVictim):
    """A victim that nothing fools and whose answers are drawn: so an attack changes what it can, at random.

    Args:
        seed: Decides the answers.
        known: The texts as they are; every change looks better than none.
    """

    labels = ("the text", "another")

    def __init__(self, seed: int, known: frozenset[Input]) -> None:
        self._seed, self._known = seed, known

    def __repr__(self) -> str:
        return f"Lot({self._seed})"

    def probabilities(self, inputs: Sequence[Input]) -> NDArray[np.float64]:
        """Return less than one half for the second label."""
        drawn = [0 if strings in self._known else self._drawn(strings) for strings in inputs]
        other = np.array(drawn) / (2 << 32)
        return np.stack([1 - other, other], axis=1)

    def _drawn(self, strings: Input) -> int:
        return zlib.crc32("\0".join((str(self._seed), *strings)).encode(errors="surrogatepass")) * 9 // 10


class Variants(NamedTuple):
    """A sample and what was made of its text, each one different."""

    sample: Sample
    texts: tuple[tuple[str, ...], ...]


def perturb(
    text: str,
    attack: str | Attack = "textfooler",
    n: int = 10,
    *,
    seed: int = 0,
    max_words: float = MAX_WORDS,
    constrain: str | Sequence[str | Constraint] = (),
    language: str | None = None,
) -> Iterator[str]:
    """Yield variants of a text: what an attack makes of it where no victim says when to stop.

    Args:
        text: The text.
        attack: The attack, by name with its settings; one that needs nothing but answers.
        n: How many variants at most; there are fewer if the attack has no more.
        seed: Decides all of them.
        max_words: The share of words that change at most; one word always may.
        constrain: What a variant must keep, as `attack` takes it.
        language: The language of the text, if the guess is to be overruled.

    Raises:
        UserError: An attack that looks into its victim, or that does not read the language.
    """
    sample = Sample(0, Text.of(text), 0)
    for found in _made([sample], _ready(attack, language), n, seed, max_words, constrain, language):
        yield from (strings[0] for strings in found.texts)


def augment(
    data: Dataset,
    attack: str | Attack = "textfooler",
    per_text: int = 4,
    *,
    seed: int = 0,
    max_words: float = MAX_WORDS,
    constrain: str | Sequence[str | Constraint] = (),
    language: str | None = None,
) -> Iterator[Variants]:
    """Yield the samples of a data set with variants of their texts, in order, some hundred at a time.

    Args:
        data: The data.
        attack: The attack, by name with its settings; one that needs nothing but answers.
        per_text: How many variants of a text at most; there are fewer if the attack has no more.
        seed: Decides all of them.
        max_words: The share of words that change at most; one word always may.
        constrain: What a variant must keep, as `attack` takes it.
        language: The language of the texts, if the guess, of each some hundred, is to be overruled.

    Raises:
        UserError: An attack that looks into its victim, or that does not read the language.
    """
    ready = _ready(attack, language)
    samples = iter(data)
    while some := list(islice(samples, _AT_ONCE)):
        yield from _made(some, ready, per_text, seed, max_words, constrain, language)


def _ready(attack: str | Attack, language: str | None) -> Attack:
    chosen = find_attack(attack) if isinstance(attack, str) else attack
    if chosen.needs:
        raise UserError(
            f"the attack {chosen.name!r} needs a victim's {' and '.join(chosen.needs)}, and here is none; "
            "take one that needs answers alone, such as deepwordbug or textfooler"
        )
    if language:
        check_language(chosen, language)
    return chosen


def _made(
    samples: Sequence[Sample],
    chosen: Attack,
    count: int,
    seed: int,
    max_words: float,
    constrain: str | Sequence[str | Constraint],
    language: str | None,
) -> list[Variants]:
    constraints = read_constraints(constrain)
    for rule in constraints:
        if isinstance(rule, NamedConstraint):
            rule.open()
    foreign = foreign_language(chosen, language, samples)
    known = frozenset(sample.text.strings for sample in samples)
    found: list[dict[tuple[str, ...], None]] = [{} for _ in samples]
    for turn in range(_TRIES * count):
        drawn = zlib.crc32(f"{seed} {turn}".encode())
        for share, numbers in _by_share(samples, max_words, [len(texts) < count for texts in found]).items():
            place = {samples[number].id: number for number in numbers}
            steps = attack_samples(
                Lot(drawn, known),
                [replace(samples[number], label=0) for number in numbers],
                chosen,
                budget=Budget(words=share),
                constraints=constraints,
                seed=drawn,
                language=foreign,
            )
            for result in (result for step in steps for result in step):
                if isinstance(result, Failure):
                    raise UserError(f"the attack {chosen!r} made nothing of text {result.id}: {result.error}")
                if result.perturbed != result.original and result.keeps_rules:
                    found[place[result.id]][result.perturbed] = None
    return [Variants(sample, tuple(texts)) for sample, texts in zip(samples, found, strict=True)]


def _by_share(samples: Sequence[Sample], max_words: float, wanted: Sequence[bool]) -> dict[float, list[int]]:
    """Return the numbers of the samples that are wanted, by the share of their words that may change."""
    groups: dict[float, list[int]] = {}
    for number, sample in enumerate(samples):
        if wanted[number] and sample.text.editable:
            groups.setdefault(max(max_words, 1 / len(sample.text.editable)), []).append(number)
    return groups
