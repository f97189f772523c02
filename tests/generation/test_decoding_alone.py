"""What is guessed together and read in one pass is what decoding alone, step by step, makes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests import toy_translators

from unfool.generation import Decoded, greedy, greedy_alone, open_generator
from unfool.generation._steps import Steps
from unfool.options import Options

pytest.importorskip("torch")
pytest.importorskip("transformers")
import torch

MOST = 14
SETTINGS: tuple[dict[str, Any], ...] = ({}, {"repetition_penalty": 1.7}, {"no_repeat_ngram_size": 2})


@pytest.fixture(scope="module", params=sorted(toy_translators.SAVE))
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = toy_translators.SAVE[request.param](tmp_path_factory.mktemp("toys") / request.param)
    name = toy_translators.name_of(request.param, Path(folder))
    return open_generator(name, Options(device="cpu", dtype="fp32"))


@pytest.fixture(scope="module")
def sources() -> list[str]:
    draw = random.Random(2)
    words = ["a", "fine", "film", "with", "no", "plot", "that", "will", "do"]
    return [" ".join(draw.choices(words, k=draw.randrange(1, 9))) for _ in range(24)]


def test_outputs_of_many_are_those_of_each_alone(model: Any, sources: list[str]) -> None:
    alone = [model.generate_exactly([source])[0] for source in sources]
    together = model.generate_exactly(sources)
    assert [each.text for each in together] == [each.text for each in alone]
    assert [each.log_probability for each in together] == pytest.approx(
        [each.log_probability for each in alone], abs=1e-3
    )
    assert len({each.text for each in alone}) > 1


class Counted:
    """Passes on what a model is asked, and counts its single steps."""

    def __init__(self, model: Any) -> None:
        self.model, self.steps = model, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def step(self, tokens: torch.Tensor, state: Any) -> Any:
        self.steps += 1
        return self.model.step(tokens, state)


class Wrong:
    """A model that guesses badly: it says what another one finds least likely."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def step(self, tokens: torch.Tensor, state: Any) -> Any:
        logits, state = self.model.step(tokens, state)
        return -logits, state


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_tokens_are_those_of_steps_whatever_the_guess(tmp_path: Path, settings: dict[str, Any]) -> None:
    folder = toy_translators.save_bart(tmp_path / "bart")
    transformers = pytest.importorskip("transformers")
    config = transformers.GenerationConfig.from_pretrained(folder)
    config.update(**settings)
    config.save_pretrained(folder)
    model = open_generator(f"hf-seq2seq:{folder}", Options(device="cpu", dtype="fp32"))
    steps = Steps(model.module, ())  # type: ignore[attr-defined]
    draw = random.Random(1)
    sources = [[0, *(draw.randrange(4, 30) for _ in range(draw.randrange(1, 12))), 2] for _ in range(12)]
    alone = [each for source in sources for each in greedy(steps, [source], MOST)]
    for guesser in (None, Wrong(steps)):
        assert tokens_of(greedy_alone(steps, sources, MOST, guesser)) == tokens_of(alone)


def test_a_right_guess_saves_the_steps(model: Any) -> None:
    counted, guesser = Counted(Steps(model.module, ())), Counted(Steps(model.module, ()))
    sources = [[5, 6, 7, 2]] * 6
    found = greedy_alone(counted, sources, MOST, guesser)
    assert guesser.steps > 0
    assert counted.steps == 0
    assert tokens_of(found) == tokens_of(greedy(guesser, sources, MOST))


def tokens_of(found: list[Decoded]) -> list[list[int]]:
    return [each.tokens for each in found]
