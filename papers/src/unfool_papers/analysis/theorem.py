"""Theorem 1 of Hsieh et al. (2019) measured: how far one changed word moves the scores of self-attention.

The theorem: words uniform on the unit sphere of d dimensions, one of them changed by Δ with ‖Δ‖ ≤ δ. Then, for any
other word i, the score of the changed word moves by |xᵢᵀ W_Q W_Kᵀ Δ|, whose mean is at most Cδ/√d with
C = ‖W_Q‖‖W_K‖, and which is ε or more with probability at most Cδ/(ε√d). (The printed proof takes E[xᵢᵀe] for 1/√d,
and it is 0; but the bound is true: E|xᵀz| ≤ √E(xᵀz)² = ‖z‖/√d.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from unfool.errors import UserError
from unfool_papers.analysis.embedding_variation import share_moved
from unfool_papers.analysis.layers import Array, Recurrent, SelfAttention, on_sphere
from unfool_papers.analysis.mean import Mean

DIMENSIONS = (16, 32, 64, 128, 256, 512, 1024)
GAINS = (0.5, 1.0, 1.5)
"""How strongly a recurrent layer hears itself: below 1 it forgets, above 1 it does not."""
_HEAD = 64
"""Columns of random W_Q and W_K, as many as a head of BERT has."""
_TAIL = tuple(np.arange(0.25, 5.01, 0.25).tolist())
_CHANGE_DIMENSIONS = 128

RANDOM, TIGHT, CHOSEN = "random weights", "tightest weights", "change chosen for the text"


class ScoreChange(NamedTuple):
    """How far the scores move in so many dimensions, as shares of Cδ; the theorem's bound is then 1/√d."""

    setting: str
    """``random weights``: W_Q, W_K and Δ drawn. ``tightest weights``: W_Q = W_K = 1, for which nothing is lost but
    what the mean loses to the root of the mean square. ``change chosen for the text``: Δ along the sum of the other
    words, which an attacker can do and the theorem rules out, as it holds Δ fixed before the words are drawn."""
    dimensions: int
    mean: Mean
    bound: float
    shares: tuple[float, ...]
    """Of all scores, those that moved by at least 0.25, 0.5, … 5 times the bound."""

    @property
    def holds(self) -> bool:
        """Whether the mean keeps to the bound."""
        return self.mean.value <= self.bound

    @property
    def looseness(self) -> float:
        """How many times larger the bound is than the mean."""
        return self.bound / self.mean.value


class Tail(NamedTuple):
    """How often a score moves by at least ``times`` the bound on the mean, and what can be proved about it."""

    setting: str
    dimensions: int
    times: float
    measured: float
    markov: float
    """The theorem's bound, 1 / times."""
    gaussian: float
    """What also holds on a sphere, 2 exp(−times² / 2): the cap beyond a height is that small."""


class WordChange(NamedTuple):
    """How far the embedding of a word moves in the next layer, as a share of its norm; the mean over draws."""

    layer: str
    offset: int
    """Words behind the changed one; negative before it."""
    change: float


class TheoremCheck(NamedTuple):
    """What `check_theorem_1` measured."""

    scores: tuple[ScoreChange, ...]
    words: tuple[WordChange, ...]
    moved: Mapping[str, Mean]
    """By layer, the share of the words that effectively moved; see `share_moved`."""
    settings: Mapping[str, Any]

    @property
    def tails(self) -> list[Tail]:
        """The tail of each setting in each number of dimensions."""
        return [
            Tail(
                each.setting,
                each.dimensions,
                times,
                share,
                min(1.0, 1 / times),
                min(1.0, 2 * math.exp(-(times**2) / 2)),
            )
            for each in self.scores
            for times, share in zip(_TAIL, each.shares, strict=True)
        ]

    @property
    def slopes(self) -> dict[str, float]:
        """The power of d each setting's mean goes with; the bound's is −0.5."""
        found: dict[str, float] = {}
        for setting in (RANDOM, TIGHT, CHOSEN):
            some = [each for each in self.scores if each.setting == setting]
            logs = np.log([[each.dimensions, each.mean.value] for each in some])
            found[setting] = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
        return found

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a table: a row a setting and number of dimensions."""
        return [
            {
                "setting": each.setting,
                "d": each.dimensions,
                "mean / Cδ": each.mean.value,
                "low": each.mean.low,
                "high": each.mean.high,
                "bound / Cδ": each.bound,
                "bound / mean": each.looseness,
                "holds": each.holds,
            }
            for each in self.scores
        ]


def check_theorem_1(
    dimensions: Sequence[int] = DIMENSIONS,
    *,
    words: int = 40,
    draws: int = 100,
    delta: float = 1.0,
    seed: int = 0,
) -> TheoremCheck:
    """Draw sentences and weights as the theorem has them, change the middle word, and measure what moves.

    Takes some seconds on one core.

    Args:
        dimensions: The numbers of dimensions d to try, at least two.
        words: Words a sentence.
        draws: Sentences a setting, each with weights and a change of its own.
        delta: The length of the change.
        seed: Decides every draw.

    Raises:
        UserError: If there is nothing to draw.
    """
    if len(set(dimensions)) < 2 or min(dimensions) < 2 or words < 3 or draws < 2 or delta <= 0:
        raise UserError(
            f"cannot check the theorem with dimensions={list(dimensions)}, words={words}, draws={draws}, "
            f"delta={delta}; give two numbers of dimensions from 2 on, 3 words, 2 draws and a change longer than 0"
        )
    draw = np.random.default_rng(seed)
    scores = [
        _score_change(setting, d, words, draws, delta, draw)
        for d in sorted(set(dimensions))
        for setting in (RANDOM, TIGHT, CHOSEN)
    ]
    changes, moved = _word_changes(words, draws, delta, draw)
    asked = {"words": words, "draws": draws, "delta": delta, "seed": seed, "d of the layers": _CHANGE_DIMENSIONS}
    return TheoremCheck(tuple(scores), tuple(changes), moved, asked)


def _score_change(
    setting: str, d: int, words: int, draws: int, delta: float, draw: np.random.Generator
) -> ScoreChange:
    found: list[Array] = []
    spot = words // 2
    one = np.eye(d)
    tight = SelfAttention(one, one, one)
    for _ in range(draws):
        sentence = on_sphere(draw, words, d)
        others = np.delete(np.arange(words), spot)
        layer, constant = tight, 1.0
        if setting == RANDOM:
            query, key, value = draw.standard_normal((3, d, min(d, _HEAD)))
            layer = SelfAttention(query, key, value)
            constant = layer.constant
        along = sentence[others].sum(axis=0) if setting == CHOSEN else draw.standard_normal(d)
        after = sentence.copy()
        after[spot] += delta * along / np.linalg.norm(along)
        moved = (layer.scores_of(after, spot) - layer.scores_of(sentence, spot))[others]
        found.append(np.abs(moved) / (constant * delta))
    bound = 1 / np.sqrt(d)
    everything = np.concatenate(found)
    shares = tuple(float((everything >= times * bound).mean()) for times in _TAIL)
    return ScoreChange(setting, d, Mean.of([each.mean() for each in found]), float(bound), shares)


def _word_changes(
    words: int, draws: int, delta: float, draw: np.random.Generator
) -> tuple[list[WordChange], dict[str, Mean]]:
    """Change a word of the same sentences for every layer."""
    d, spot = _CHANGE_DIMENSIONS, words // 2
    relative: dict[str, list[Array]] = {}
    for _ in range(draws):
        before = on_sphere(draw, words, d)
        after = before.copy()
        after[spot] += delta * on_sphere(draw, 1, d)[0]
        for name, layer in _layers(d, draw).items():
            old, new = layer(before), layer(after)
            change = np.linalg.norm(new - old, axis=1) / np.linalg.norm(old, axis=1)
            relative.setdefault(name, []).append(change)
    changes = [
        WordChange(name, place - spot, float(change))
        for name, found in relative.items()
        for place, change in enumerate(np.mean(found, axis=0))
    ]
    return changes, {name: Mean.of([share_moved(each) for each in found]) for name, found in relative.items()}


def _layers(d: int, draw: np.random.Generator) -> dict[str, Callable[[Array], Array]]:
    query, key, value, inward, onward = draw.standard_normal((5, d, d)) / np.sqrt(d)
    attention = SelfAttention(query, key, value)
    return {
        "self-attention": attention.outputs,
        "self-attention, input added": lambda words: words + attention.outputs(words),
        **{f"recurrent, gain {gain:g}": Recurrent(inward, gain * onward).outputs for gain in GAINS},
    }
