"""Randomised smoothing: copies of a text, each changed at random, vote about it."""

from __future__ import annotations

import copy
import string
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from unfool.defences._random import drawn_seed, generator
from unfool.defences._votes import Ballots, count_votes
from unfool.engine import Answers, Later, PendingAnswers, Predictor
from unfool.errors import UserError, VictimError
from unfool.settings import at_least, written_settings
from unfool.stats import softmax
from unfool.text import Text, Variants
from unfool.victims import Input, Randomised, StringRows, WrappedVictim

_SMALLEST_PROBABILITY = 1e-12
_LETTERS = string.ascii_lowercase


@dataclass(frozen=True, kw_only=True)
class SmoothSettings:
    """How the copies differ from the text, how many there are, and how they vote."""

    by: Literal["mask", "swap"] = "mask"
    """``mask``: words give way to one the victim does not know. ``swap``: letters and digits give way to letters
    drawn at random."""
    share: float = 0.3
    """The share of the words, or of their characters, that change in a copy; at least one does."""
    copies: int = 10
    """Copies that vote; the text as it is does not."""
    vote: Literal["probabilities", "majority"] = "probabilities"
    """What is averaged over the copies: probabilities, or one vote each."""
    noise: Literal["fresh", "text"] = "fresh"
    """``fresh``: the check that judges a text draws copies that no search has met, as a model that draws anew for
    each query does. ``text``: the same text always has the same copies."""
    seed: int = 0
    """Together with a text, decides every draw about it."""

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        at_least(1, copies=self.copies)
        at_least(0, seed=self.seed)
        if not 0 < self.share <= 1:
            raise UserError(f"share={self.share:g} is no share to change; give a number above 0 and up to 1")


class Smooth(WrappedVictim):
    """Answers by a vote among copies of a text, each changed at random.

    Its gradients are those of the victim inside at the text itself: drawn words cannot be differentiated, and an
    attacker who knows the net would use these.

    Args:
        victim: Any victim.
        settings: How the copies differ, and how they vote.
    """

    def __init__(self, victim: Predictor, settings: SmoothSettings | None = None) -> None:
        super().__init__(victim)
        self.settings = settings or SmoothSettings()
        self.approximate = False  # a success that is checked at once would meet other copies
        self.pass_on("gradients", "embeddings")

    def __repr__(self) -> str:
        plain = SmoothSettings()
        values = {field.name: getattr(self.settings, field.name) for field in fields(self.settings)}
        told = {name: value for name, value in values.items() if value != getattr(plain, name)}
        return f"smooth{f'[{written_settings(told)}]' if told else ''}:{self.inner!r}"

    def draw(self, number: int) -> Smooth:
        """Return the same victim with other draws of its copies; draw 0 is its own."""
        other = copy.copy(self)
        other.settings = replace(self.settings, seed=drawn_seed(self.settings.seed, number))
        if isinstance(self.inner, Randomised):
            other.inner = self.inner.draw(number)
            other.pass_on("gradients", "embeddings")
        return other

    def rows(self, asked: Sequence[Variants]) -> StringRows:
        """Render what the samples ask."""
        return StringRows([text.strings for variants in asked for text in variants])

    def launch(self, rows: StringRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        """Start on the copies of some of the texts together."""
        groups = self.copies([rows.inputs[number] for number in chosen.tolist()], self.settings.seed)
        texts = self.inner.rows([Variants.of_texts(group) for group in groups])
        _, first, inverse = np.unique(texts.keys, return_index=True, return_inverse=True)
        pending = self.inner.launch(texts, first)
        return Later(lambda: self._voted(pending.result(), inverse))

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        """Start the inner victim's check of the copies."""
        fresh = self.settings.noise == "fresh"
        groups = self.copies(inputs, drawn_seed(self.settings.seed, -1) if fresh else self.settings.seed)
        pending = self.inner.check([text.strings for group in groups for text in group])
        return Later(lambda: self._voted(pending.result(), np.arange(len(inputs) * self.settings.copies)))

    def copies(self, inputs: Sequence[Input], seed: int) -> list[list[Text]]:
        """Return the copies of each text that vote about it, drawn by a seed and the text."""
        return [self._copies_of(strings, seed) for strings in inputs]

    def _copies_of(self, strings: Input, seed: int) -> list[Text]:
        text, random = Text.from_fields({str(n): each for n, each in enumerate(strings)}), generator(seed, strings)
        change = self._masked if self.settings.by == "mask" else self._swapped
        return [change(text, random) if len(text) else text for _ in range(self.settings.copies)]

    def _masked(self, text: Text, random: np.random.Generator) -> Text:
        spots = _drawn(random, len(text), self.settings.share)
        return text.replace_several(spots, [self.unknown] * len(spots))

    def _swapped(self, text: Text, random: np.random.Generator) -> Text:
        words = [list(word) for word in text.words]
        places = [(spot, place) for spot, word in enumerate(words) for place in range(len(word))]
        for number in _drawn(random, len(places), self.settings.share):
            spot, place = places[number]
            words[spot][place] = _LETTERS[random.integers(len(_LETTERS))]
        return text.replace_several(range(len(words)), ["".join(word) for word in words])

    def _voted(self, answers: Answers, inverse: NDArray[np.intp]) -> Answers:
        copies = self.settings.copies
        values = answers.values[inverse].clip(_SMALLEST_PROBABILITY)
        starts = np.arange(0, len(values), copies, dtype=np.int64)
        errors: dict[int, VictimError] = {}
        for place, row in enumerate(inverse.tolist()) if answers.errors else ():
            if row in answers.errors:
                errors.setdefault(place // copies, answers.errors[row])
        ballots = Ballots(np.log(values), np.ones(len(values)), starts, errors)
        votes = softmax(count_votes(ballots, self.settings.vote, self.decimals))
        return Answers(votes.astype(np.float32), errors)


def _drawn(random: np.random.Generator, count: int, share: float) -> list[int]:
    """Return the numbers of some of so many things, in order; at least one."""
    return sorted(random.choice(count, max(1, round(share * count)), replace=False).tolist())
