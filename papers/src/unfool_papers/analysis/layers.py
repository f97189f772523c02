"""One layer of self-attention and one recurrent layer, as Theorem 1 of Hsieh et al. (2019) has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SelfAttention:
    """A single head without positions, biases or a scale: s = (xW_Q)(xW_K)ᵀ, z = softmax(s) x W_V.

    Attributes:
        query: W_Q, [dimensions, k].
        key: W_K, [dimensions, k].
        value: W_V, [dimensions, k].
    """

    query: Array
    key: Array
    value: Array

    @property
    def constant(self) -> float:
        """C of the theorem: ‖W_Q‖‖W_K‖, spectral norms."""
        return spectral_norm(self.query) * spectral_norm(self.key)

    def scores(self, words: Array) -> Array:
        """Return s, [words, words]: row i holds what each word contributes to word i."""
        return (words @ self.query) @ (words @ self.key).T

    def scores_of(self, words: Array, spot: int) -> Array:
        """Return one column of s: what one word contributes to each."""
        return np.asarray(words @ (self.query @ (self.key.T @ words[spot])))

    def outputs(self, words: Array) -> Array:
        """Return z, a row a word."""
        scores = self.scores(words)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True) @ (words @ self.value))


@dataclass(frozen=True, eq=False)
class Recurrent:
    """A plain recurrent layer that begins at zero: z_i = tanh(A x_i + B z_{i-1})."""

    inward: Array
    onward: Array

    def outputs(self, words: Array) -> Array:
        """Return z, a row a word."""
        state = np.zeros(len(self.onward))
        states = []
        for pushed in words @ self.inward.T:
            state = np.tanh(pushed + self.onward @ state)
            states.append(state)
        return np.stack(states)


def spectral_norm(matrix: Array) -> float:
    """Return the largest factor by which a matrix lengthens a vector."""
    narrow = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    # Far faster than a decomposition of the matrix itself where one side is long.
    return float(np.sqrt(np.linalg.eigvalsh(narrow.T @ narrow)[-1]))


def on_sphere(draw: np.random.Generator, count: int, dimensions: int) -> Array:
    """Draw vectors uniformly from the unit sphere, a row each."""
    normal = draw.standard_normal((count, dimensions))
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))
