"""Random numbers that depend on a text and a seed alone, not on what else is asked, or when."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np


def generator(seed: int, strings: Sequence[str]) -> np.random.Generator:
    """Return the generator of a text."""
    return np.random.default_rng([seed, _digest("\0".join(strings))])


def drawn_seed(seed: int, number: int) -> int:
    """Return the seed of a further draw; draw 0 is the seed's own."""
    return _digest(f"{seed} {number}") if number else seed


def _digest(text: str) -> int:
    content = text.encode(errors="surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "little")
