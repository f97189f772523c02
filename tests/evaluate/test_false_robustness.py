"""Victims that only look robust are told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from tests.evaluate.conftest import Trained
from tests.toys import BagOfWords, labelled

from unfool.data import load
from unfool.defences.evaluate import Fooled, GradientUse, evaluate, gradient_use, hidden_gradients
from unfool.engine import PendingAnswers
from unfool.job import repeat
from unfool.victims import Input, StringRows, callable_victim, open_victim
from unfool.victims.tokens import TokenBatch
from unfool.zoo import CharacterVictim

QUIET: dict[str, Any] = {"progress": False, "n": 40}
GREEDY = "hotflip:width=1,operations=flips"


class Dice(BagOfWords):
    """Adds noise to every answer, another each time it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self._random = np.random.default_rng(0)

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        sure = np.asarray(super().probabilities(inputs))
        noise = self._random.random(sure.shape)
        mixed = 0.5 * sure + noise
        return mixed / mixed.sum(axis=1, keepdims=True)


class Masked(CharacterVictim):
    """Answers as before, and gives gradients of nothing."""

    def logits_of(self, vectors: torch.Tensor, batch: TokenBatch) -> torch.Tensor:
        return super().logits_of(vectors.detach(), batch) + 0 * vectors.sum()


def masked(name: str) -> Masked:
    seen = open_victim(name)
    assert isinstance(seen, CharacterVictim)
    return Masked(seen.module, seen.reads, seen.labels, name="masked", device="cpu")


@pytest.fixture
def texts(tmp_path: Path) -> str:
    victim, words = BagOfWords(), ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
    samples = labelled(victim, [" ".join(words[k % 5 : k % 5 + 4]) + f" word{k}" for k in range(40)])
    rows = [f"{sample.text},{sample.label}" for sample in samples]
    (tmp_path / "texts.csv").write_text("\n".join(["text,label", *rows, ""]))
    return str(tmp_path / "texts.csv")


def test_a_random_victim_is_caught(texts: str, tmp_path: Path) -> None:
    found = evaluate(Dice(), texts, ["key-star"], out=tmp_path / "dice", **QUIET)
    assert found.repeated.changed_at_all == 40
    assert any("answers at random" in warning for warning in found.warnings)
    assert any("wrong again" in warning for warning in found.warnings)
    sure = evaluate(BagOfWords(), texts, ["key-star"], out=tmp_path / "sure", **QUIET)
    assert sure.repeated.changed_at_all == 0
    assert sure.warnings == ()


def test_a_victim_that_draws_by_a_seed_is_caught_too(trained: Trained) -> None:
    """Asked again, it answers the same; another draw does not."""
    samples = list(load(trained.task).sample(40, 0))
    five = open_victim(f"five[std=3]:{trained.plain}")
    assert repeat(five, samples, 4).random
    assert not repeat(open_victim(trained.plain), samples, 4).random


class Drawn(BagOfWords):
    """Tells which of its draws were asked."""

    def __init__(self, number: int = 0, asked: set[int] | None = None) -> None:
        super().__init__()
        self._number, self.asked = number, set[int]() if asked is None else asked

    def draw(self, number: int) -> Drawn:
        return Drawn(number, self.asked)

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        self.asked.add(self._number)
        return super().probabilities(inputs)


@pytest.mark.parametrize(("eot", "asked"), [(1, {0, 1, 2}), (3, {0, 1, 2, 3, 4, 5})])
def test_who_is_asked_anew_is_no_draw_that_the_attack_has_seen(
    texts: str, tmp_path: Path, eot: int, asked: set[int]
) -> None:
    victim = Drawn()
    evaluate(victim, texts, ["key-star"], eot=eot, repeats=2, out=tmp_path / "e", **QUIET)
    assert victim.asked == asked


class Coarse(BagOfWords):
    """A search hears the opposite of what is the case."""

    approximate = True

    def launch(self, rows: StringRows, chosen: NDArray[np.intp]) -> PendingAnswers:
        return callable_victim(
            lambda inputs: 1 - np.asarray(self.probabilities([(one,) for one in inputs])), self.labels
        ).launch(rows, chosen)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        return super().launch(StringRows(inputs), np.arange(len(inputs)))


def test_figures_are_of_answers_at_full_precision(texts: str, tmp_path: Path) -> None:
    found = evaluate(Coarse(), texts, premade=[texts], out=tmp_path / "e", **QUIET)
    clean, stored = found.clean.victim.accuracy, found.premade[texts].victim.accuracy
    assert (clean.value, stored.value) == (1.0, 1.0)


def test_a_victim_without_gradients_worth_the_name_is_caught(trained: Trained, tmp_path: Path) -> None:
    found = evaluate(masked(trained.plain), trained.task, [GREEDY], out=tmp_path / "e", **QUIET)
    assert found.gradients == GradientUse(50, 50)
    assert any("gradients vanish on 50 of 50" in warning for warning in found.warnings)


def test_asking_that_beats_seeing_is_told(trained: Trained, tmp_path: Path) -> None:
    attacks = [GREEDY, "key-star:draws=20"]
    hidden = evaluate(
        masked(trained.plain), trained.task, attacks, against=trained.plain, out=tmp_path / "e", **QUIET
    )
    assert any("a sign that the victim hides its gradients" in warning for warning in hidden.warnings)


def test_without_another_victim_nothing_is_said_to_be_hidden(trained: Trained, tmp_path: Path) -> None:
    """An undefended net falls to attacks that may do more, too."""
    attacks = ["hotflip:operations=flips,width=1,budget=0.01", "hotflip-exact:operations=flips,width=1,budget=1"]
    found = evaluate(trained.plain, trained.task, attacks, out=tmp_path / "e", **QUIET)
    (told,) = found.warnings
    assert "or those attacks are the weaker ones anyway; give the undefended victim with --against" in told


def fooled(white: int, black: int) -> Fooled:
    """Of twenty samples, the first few are fooled."""
    return Fooled({k: k < white for k in range(20)}, {k: k < black for k in range(20)})


@pytest.mark.parametrize(
    ("victim", "base", "told"),
    [
        (fooled(2, 12), None, "--against"),
        (fooled(2, 12), fooled(14, 12), "hides its gradients rather"),
        (fooled(2, 12), fooled(2, 12), ""),  # so it is with the undefended one, too: the attacks differ
        (fooled(10, 12), None, ""),  # by chance
        (fooled(12, 2), None, ""),
        (Fooled({}, {1: True}), None, ""),
    ],
)
def test_when_gradients_seem_hidden(victim: Fooled, base: Fooled | None, told: str) -> None:
    said = list(hidden_gradients(victim, base))
    assert len(said) == bool(told)
    assert all(told in warning for warning in said)


def test_texts_of_another_victim_that_fool_more_than_its_own_are_told(trained: Trained, tmp_path: Path) -> None:
    found = evaluate(
        masked(trained.plain), trained.task, [GREEDY], against=trained.plain, out=tmp_path / "e", **QUIET
    )
    assert any("harder to search than to fool" in warning for warning in found.warnings)


def test_gradients_of_an_honest_net_do_not_vanish(trained: Trained) -> None:
    samples = list(load(trained.task).sample(40, 0))
    victims = (open_victim(trained.plain), masked(trained.plain), BagOfWords())
    assert [gradient_use(victim, samples) for victim in victims] == [(40, 0), (40, 40), None]
