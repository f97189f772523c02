"""The main job from Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, VADER

import unfool
from unfool.attacks import attack
from unfool.data import from_texts
from unfool.engine import Ask, Status
from unfool.errors import UserError
from unfool.runs import Run
from unfool.text import Sample, Text
from unfool.victims import NEEDS, callable_victim, vader


@pytest.mark.usefixtures("wordnet")
def test_an_attack_returns_its_run(tmp_path: Path) -> None:
    run = unfool.attack(VADER, str(REVIEWS), "pwws", n=20, out=tmp_path / "run", progress=False)
    assert isinstance(run, Run)
    assert (run.summary.samples, run.summary.errors) == (20, 0)
    table = run.table()
    assert table.num_rows == 20
    assert {"original_text", "perturbed_text", "status", "queries"} <= set(table.column_names)
    outcomes = list(run.outcomes())
    fooled = [outcome for outcome in outcomes if outcome.status is Status.SUCCESS]
    assert len(fooled) == run.summary.successes > 0
    answers = vader.probabilities([outcome.perturbed[0] for outcome in fooled]).argmax(axis=1)
    assert answers.tolist() == [1 - outcome.label for outcome in fooled]


async def hungry(sample: Sample, ask: Ask) -> Text:
    raise AssertionError("an attack that cannot work was started")


@pytest.mark.parametrize("need", ["gradients", "attention", "hidden"])
def test_a_victim_that_lacks_what_the_attack_needs(tmp_path: Path, need: str) -> None:
    with pytest.raises(UserError, match=f"'hungry' needs {NEEDS[need]}, and {VADER} does not offer"):
        unfool.attack(VADER, str(REVIEWS), attack(needs=(need,))(hungry), out=tmp_path / "run", progress=False)
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("wordnet")
def test_texts_in_memory_are_attacked(tmp_path: Path) -> None:
    texts = from_texts(
        ["A wonderful film.", "The worst film.", "I love it so much."], ["positive", "negative", "positive"]
    )
    victim = callable_victim(vader.probabilities)
    run = unfool.attack(victim, texts, "pwws", out=tmp_path / "run", progress=False)
    assert run.summary.clean_accuracy.value == 1
    assert [outcome.original for outcome in run.outcomes()] == [sample.text.strings for sample in texts]
    assert any(outcome.status is Status.SUCCESS for outcome in run.outcomes())


def test_what_is_no_victim_and_what_are_no_data_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"3 is no victim; .*a function from texts to probabilities"):
        unfool.attack(3, str(REVIEWS), "pwws", out=tmp_path)
    with pytest.raises(UserError, match=r"item 1 of the list is 'A film.'; .*from_texts\(TEXTS, LABELS"):
        unfool.attack(VADER, ["A film."], "pwws", out=tmp_path)
    with pytest.raises(UserError, match=r"the data is a int; give a name such as FILE.csv, a pandas DataFrame"):
        unfool.attack(VADER, 5, "pwws", out=tmp_path)
