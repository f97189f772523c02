"""Attacks search models that generate as they search classifiers; the engine confirms what they find."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from unfool import UserError, attack
from unfool.attacks import find_attack
from unfool.data import ANSWERS, Dataset, load
from unfool.engine import Budget, Outcome, Status, attack_samples
from unfool.errors import VictimError
from unfool.generation import Generator, JudgedGenerator, Output, Translation, find_goal, with_outputs

pytest.importorskip("sacrebleu")
WORDS = {"good": "gut", "great": "gross", "film": "Film", "movie": "Streifen", "the": "der", "is": "ist"}
PAIRS = [("the film is good", "der Film ist gut"), ("the movie is great", "der Streifen ist gross")]
HOSTILE = ["", " ".join(["word"] * 10_000), "<script>alert(1)</script>", "\x1b[31m\u202eabc\x00"]


class Dictionary(Generator):
    """Translates word by word, and leaves out what it does not know."""

    def __init__(self, says: str | None = None) -> None:
        self.calls: list[int] = []
        self.says = says

    def generate(self, sources: Sequence[str]) -> list[Output | VictimError]:
        self.calls.append(len(sources))
        return [self._translated(source) for source in sources]

    def _translated(self, source: str) -> Output | VictimError:
        if "nothing" in source:
            return VictimError("it knows nothing")
        if self.says is not None and "film" not in source:
            return Output(self.says)
        return Output(" ".join(WORDS[word] for word in source.lower().split() if word in WORDS))

    def __repr__(self) -> str:
        return "toy:dictionary"


class Copying(Dictionary):
    """Keeps what it does not know."""

    def _translated(self, source: str) -> Output:
        return Output(" ".join(WORDS.get(word, word) for word in source.split()))


@pytest.fixture
def pairs(tmp_path: Path) -> Dataset:
    file = tmp_path / "pairs.tsv"
    file.write_text("en\tde\n" + "".join(f"{en}\t{de}\n" for en, de in PAIRS), encoding="utf-8")
    return load(str(file), text="en", pair="de", label=ANSWERS)


def attacked(
    model: Generator, pairs: Dataset, goal: str, attack: str, budget: Budget | None = None
) -> list[Outcome]:
    victim = JudgedGenerator(model, find_goal(goal))
    prepared = with_outputs(pairs, model)
    steps = attack_samples(victim, prepared.data, find_attack(attack), budget=budget)
    found = [outcome for step in steps for outcome in step]
    assert all(isinstance(outcome, Outcome) for outcome in found)
    return sorted((each for each in found if isinstance(each, Outcome)), key=lambda each: each.id)


def test_behind_the_source_stands_what_the_goal_looks_at(pairs: Dataset) -> None:
    prepared = with_outputs(pairs, Dictionary())
    assert prepared.data[0].text.strings == (
        "the film is good",
        "the film is good",
        "der Film ist gut",
        PAIRS[0][1],
    )
    assert [field.editable for field in prepared.data[0].text.fields] == [True, False, False, False]
    assert prepared.data.labels == ("not reached", "reached")
    assert not prepared.left_out


def test_a_source_without_an_output_is_left_out_and_told(pairs: Dataset, tmp_path: Path) -> None:
    file = tmp_path / "more.tsv"
    file.write_text("en\tde\nnothing\tnichts\nthe film\tder Film\n", encoding="utf-8")
    prepared = with_outputs(load(str(file), text="en", pair="de", label=ANSWERS), Dictionary())
    assert [sample.text.strings[0] for sample in prepared.data] == ["the film"]
    assert prepared.left_out == {"it knows nothing": 1}


@pytest.mark.parametrize("attack", ["key", "random:trials=20", "noise", "noise:kind=full,share=0.5"])
def test_a_success_is_one_that_the_model_confirms(pairs: Dataset, attack: str) -> None:
    goal = find_goal("degrade")
    for outcome in attacked(Dictionary(), pairs, "degrade", attack):
        (output,) = Dictionary().generate([outcome.perturbed[0]])
        assert isinstance(output, Output)
        changed, source, clean, reference = outcome.perturbed
        assert (source, reference) == (outcome.original[0], outcome.original[3])
        seen = goal.score(Translation(source, changed, clean, output.text, reference))
        assert (outcome.status is Status.SUCCESS) == seen.reached


def test_a_lost_word_degrades_the_output(pairs: Dataset) -> None:
    outcomes = attacked(Dictionary(), pairs, "degrade:drop=0.2", "key")
    assert [outcome.status for outcome in outcomes] == [Status.SUCCESS] * 2
    assert all(outcome.after.label == 1 and outcome.before.label == 0 for outcome in outcomes)


def test_a_keyword_that_is_there_already_is_skipped(pairs: Dataset) -> None:
    first, second = attacked(Dictionary(), pairs, "keyword=Film", "random:trials=3")
    assert first.status is Status.SKIPPED
    assert second.status is Status.FAILED


def test_queries_are_counted_and_limited_as_ever(pairs: Dataset) -> None:
    for outcome in attacked(Dictionary(), pairs, "differ", "key", Budget(queries=5)):
        assert outcome.queries <= 5


def test_batches_are_full_and_confirmations_alone(pairs: Dataset) -> None:
    model = Dictionary()
    attacked(model, pairs, "differ", "random:trials=30")
    assert max(model.calls) > 20
    assert model.calls[:2] == [1, 1]  # the clean outputs, each alone


@pytest.mark.parametrize("says", HOSTILE, ids=["empty", "long", "html", "controls"])
def test_whatever_it_says_is_kept_as_it_is(pairs: Dataset, says: str) -> None:
    prepared = with_outputs(pairs, Dictionary(says))
    assert prepared.data[1].text.strings[2] == says
    for goal in ("degrade", "differ", "grow", "unchanged", "vanish=numbers"):
        assert len(attacked(Dictionary(says), pairs, goal, "key")) == 2


def test_a_source_without_anything_that_could_vanish_is_no_sample(tmp_path: Path) -> None:
    file = tmp_path / "numbers.tsv"
    file.write_text("en\nthe film is good\nthe movie is 9\nis great\n", encoding="utf-8")
    sources = load(str(file), text="en", label=ANSWERS)
    with_nine = Copying()
    goal = find_goal("vanish=numbers")
    prepared = with_outputs(sources, with_nine, goal)
    assert [sample.text.strings[0] for sample in prepared.data] == ["the movie is 9"]
    assert prepared.out_of_reach == {"nothing to vanish (numbers) in the clean output": 2}
    assert not prepared.left_out
    run = attack(
        with_nine, sources.column(0), "key:budget=0.5", goal="vanish=numbers", out=tmp_path / "run", progress=False
    )
    assert (run.summary.attacked, run.summary.samples) == (1, 1)
    assert run.remarks()[0] == "Left out: 2 with nothing to vanish (numbers) in the clean output."
    with pytest.raises(UserError, match="no source can reach vanish:what=Berlin: nothing to vanish"):
        attack(with_nine, sources.column(0), "key", goal="vanish=Berlin", out=tmp_path / "none", progress=False)
