"""Before an attack tries a whole vocabulary, the user is told how long that may take."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.toys import BagOfWords
from unfool.attacks import find_attack
from unfool.job import told_cost
from unfool.text import Sample, Text
from unfool.victims import Input

SAMPLE = Sample(0, Text.of("a good film"), 0)


class Slow(BagOfWords):
    """Knows many words, and takes a millisecond for each text."""

    vocabulary = tuple(f"word{number}" for number in range(30_000))

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        time.sleep(0.001 * len(inputs))
        return np.full((len(inputs), 2), 0.5)


@pytest.mark.parametrize("attack", ["gs-gr", "gs-ec", "asmin-gr"])
def test_a_whole_vocabulary_is_told_with_what_asks_less(attack: str) -> None:
    told = told_cost(Slow(), find_attack(attack), 25, SAMPLE)
    assert told is not None
    assert told.startswith(f"{attack} may ask about all 30,000 words the victim knows, for each text: up to ")
    assert " minutes for 25 texts, at " in told
    assert told.endswith(f"--attack {attack}:candidates=200 tries 200 words a text")


@pytest.mark.parametrize("attack", ["gs-gr:candidates=200", "pwws", "textfooler"])
def test_what_asks_less_is_not_told(attack: str) -> None:
    assert told_cost(Slow(), find_attack(attack), 25, SAMPLE) is None


def test_what_is_soon_done_is_not_told() -> None:
    class Small(Slow):
        vocabulary = ("good", "bad")

    assert told_cost(Small(), find_attack("gs-gr"), 25, SAMPLE) is None
    assert told_cost(BagOfWords(), find_attack("gs-gr"), 25, SAMPLE) is None, "it has no vocabulary"
