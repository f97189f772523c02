"""Attacks search models that generate as they search classifiers; the engine confirms what they find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfool.attacks import find_attack
from unfool.data import from_texts
from unfool.engine import Outcome, Status, attack_samples
from unfool.generation import Generator, JudgedGenerator, Output, find_goal, with_outputs

pytest.importorskip("sacrebleu")
WORDS = {"good": "gut", "fine": "fein", "film": "Film", "movie": "Streifen", "the": "der", "is": "ist"}


class Dictionary(Generator):
    """Translates word by word; what it does not know it leaves out. It knows few words, so it is fooled by others."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def generate(self, sources: Sequence[str]) -> list[Output]:
        self.calls.append(len(sources))
        return [
            Output(" ".join(WORDS[word] for word in source.lower().split() if word in WORDS)) for source in sources
        ]

    def __repr__(self) -> str:
        return "toy:dictionary"


def attacked(attack: str, goal: str, text: str = "the film is good", **settings: Any) -> tuple[Outcome, Dictionary]:
    model = Dictionary()
    prepared = with_outputs(from_texts([(text, "der Film ist gut")], labels=["a"]), model)
    victim = JudgedGenerator(model, find_goal(goal))
    (results,) = [each for each in attack_samples(victim, prepared.data, find_attack(attack), **settings) if each]
    (outcome,) = results
    assert isinstance(outcome, Outcome)
    return outcome, model
