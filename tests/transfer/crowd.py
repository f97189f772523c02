"""Toy classifiers that agree in the main and differ in the words they go by."""

from __future__ import annotations

import csv
import os
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import exp, log

import numpy as np
from numpy.typing import ArrayLike
from tests.end_to_end.command import REVIEWS
from tests.toys import BagOfWords

labels = ("negative", "positive")


@cache
def lean(word: str) -> float:
    """How much more often a word is in positive reviews, as a logarithm."""
    return log((_counts(1)[word] + 0.5) / (_counts(0)[word] + 0.5))


@cache
def _counts(label: int) -> Counter[str]:
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file) if int(row["label"]) == label]
    return Counter(word for text in texts for word in text.lower().split())


def classifier(number: int) -> Callable[[Sequence[str]], list[list[float]]]:
    def answer(texts: Sequence[str]) -> list[list[float]]:
        return [_row(text, number) for text in texts]

    return answer


def _row(text: str, number: int) -> list[float]:
    words = text.lower().split()
    score = sum(lean(word) + 3 * (zlib.crc32(f"{number} {word}".encode()) % 101 / 100 - 0.5) for word in words)
    positive = 1 / (1 + exp(-score))
    return [1 - positive, positive]


one, two, three = map(classifier, (1, 2, 3))


def turned(texts: Sequence[str]) -> list[list[float]]:
    """The second, with its labels the other way round."""
    return [row[::-1] for row in two(texts)]


turned.labels = ("positive", "negative")  # type: ignore[attr-defined]


def sleepy(texts: Sequence[str]) -> list[list[float]]:
    """The third, which takes its time."""
    time.sleep(float(os.environ.get("PAUSE", "0")) if texts != [""] else 0)
    return three(texts)


def broken(texts: Sequence[str]) -> list[list[float]]:
    """Answers an empty text alone."""
    if texts != [""]:
        raise RuntimeError("out of order")
    return [[0.5, 0.5]]


def undecided(texts: Sequence[str]) -> list[list[float]]:
    """Cannot tell; its last bits go now this way and now that."""
    noise = [1e-6 * (-1) ** number for number in range(len(texts))]
    return [[0.5 + more, 0.5 - more] for more in noise]


def fatal(texts: Sequence[str]) -> list[list[float]]:
    """Ends the process that asks more than an empty text."""
    if texts != [""]:
        os._exit(1)
    return [[0.5, 0.5]]


def of_pairs(lean: float) -> Callable[[Sequence[str | tuple[str, ...]]], ArrayLike]:
    """Reads pairs of texts."""

    def answer(texts: Sequence[str | tuple[str, ...]]) -> ArrayLike:
        inputs = [(text,) if isinstance(text, str) else tuple(text) for text in texts]
        return np.stack([BagOfWords(lean=lean).probability_row(strings) for strings in inputs])

    return answer


pairs_one, pairs_two = map(of_pairs, (0.0, 0.3))
