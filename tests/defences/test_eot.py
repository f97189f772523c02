"""The mean of several answers: what is averaged, what it costs, who judges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.end_to_end.command import unfool as run_command
from tests.toys import BagOfWords, labelled, outcomes

import unfool
from unfool.defences import Five, FiveSettings, Fuse, FuseSettings
from unfool.engine import Ask, Budget, PendingAnswers
from unfool.engine._ledger import Ledger, OutOfQueries
from unfool.errors import UserError
from unfool.text import Sample, Text, Variants
from unfool.victims import GradientRequest, Input, MeanOfDraws, Options, Transformer, WhiteBoxVictim

TEXTS = [Text.of("The film is dull, the cast awful."), Text.of("a great film and a fine plot"), Text.of("good")]
SAMPLES = [Sample(number, text, 0) for number, text in enumerate(TEXTS)]
FIVE = FiveSettings(samples=3, tokens=2, noise="text")


async def ask_about_two(sample: Sample, ask: Ask) -> Text:
    await ask.predict(sample.text)
    await ask.predict([sample.text, sample.text.replace(0, "bad")])
    return sample.text


def test_the_search_sees_the_mean_of_other_draws(bert: Transformer) -> None:
    five = Five(bert, FIVE)
    mean = MeanOfDraws(five, 3)
    rows = mean.rows([Variants.of_texts(TEXTS)])
    told = mean.launch(rows, np.arange(3)).result().values
    strings = [text.strings for text in TEXTS]
    draws = [five.draw(number).confirm(strings).values for number in (1, 2, 3)]
    np.testing.assert_allclose(told, np.mean(draws, axis=0), atol=2e-5)
    assert np.abs(told - five.confirm(strings).values).max() > 1e-3


def test_the_victim_itself_judges(bert: Transformer) -> None:
    five = Five(bert, FIVE)
    strings = [text.strings for text in TEXTS]
    assert (MeanOfDraws(five, 3).check(strings).result().values == five.confirm(strings).values).all()
    assert repr(MeanOfDraws(five, 3)) == repr(five)


class Coarse(BagOfWords):
    """A randomised victim whose search is approximate; every other draw answers the first label less readily."""

    approximate = True

    def __init__(self, number: int = 0) -> None:
        super().__init__()
        self.checked: list[str] = []
        self._lean = -number / 10

    def draw(self, number: int) -> Coarse:
        return Coarse(number)

    def check(self, inputs: Sequence[Input]) -> PendingAnswers:
        self.checked += [strings[0] for strings in inputs]
        return super().check(inputs)


def test_no_search_asks_the_judge_before_it_ends() -> None:
    victim, seen = Coarse(), []

    async def fool(sample: Sample, ask: Ask) -> Text:
        for word in ("bad", "poor", "dull", "grim"):
            seen.append(await ask.fooled(sample.text.replace(0, word)))
        assert victim.checked == [str(sample.text)]  # before the attack began
        return sample.text.replace(0, "grim")

    (sample,) = labelled(victim, ["good film"])
    outcomes(MeanOfDraws(victim, 3), [sample], fool)
    assert any(seen)
    assert victim.checked == ["good film", "grim film"]


def test_a_run_tells_that_its_search_was_approximate(reviews: Path, tmp_path: Path) -> None:
    done = unfool.attack(Coarse(), str(reviews), "random", eot=2, out=tmp_path / "run", progress=False)
    assert done.config["approximate"]


def test_each_answer_counts(bert: Transformer) -> None:
    five = Five(bert, FIVE)
    labels = five.confirm([text.strings for text in TEXTS]).values.argmax(axis=1).tolist()
    samples = [Sample(sample.id, sample.text, label) for sample, label in zip(SAMPLES, labels, strict=True)]
    assert [outcome.queries for outcome in outcomes(five, samples, ask_about_two)] == [2, 2, 2]
    assert [outcome.queries for outcome in outcomes(MeanOfDraws(five, 4), samples, ask_about_two)] == [8, 8, 8]
    few = outcomes(MeanOfDraws(five, 4), samples, ask_about_two, budget=Budget(queries=7))
    assert {(outcome.queries, outcome.reason) for outcome in few} == {(4, "out of queries")}


def test_a_ledger_never_passes_its_limit() -> None:
    ledger = Ledger(10, cost=3)
    ledger.place([1, 2, 2, 3])
    assert ledger.queries == 9
    with pytest.raises(OutOfQueries):
        ledger.place([1, 4])
    assert ledger.queries == 9
    assert ledger.place([3, 1]).new == []


def test_gradients_are_averaged_too(nets: dict[str, WhiteBoxVictim]) -> None:
    five = Five(nets["lstm"], FIVE)
    (mean,) = MeanOfDraws(five, 2).gradients.launch([GradientRequest(TEXTS[0], 1)]).result()
    one, two = (five.draw(n).gradients.launch([GradientRequest(TEXTS[0], 1)]).result()[0] for n in (1, 2))
    np.testing.assert_allclose(mean.gradient, (one.gradient + two.gradient) / 2, atol=1e-6)
    assert mean.loss == pytest.approx((one.loss + two.loss) / 2)


@pytest.mark.usefixtures("lexicons")
def test_draws_of_a_stack_draw_in_every_storey(bert: Transformer) -> None:
    stack = Fuse(Five(bert, FIVE), FuseSettings(alternatives=3))
    other = stack.draw(1)
    assert isinstance(other.inner, Five)
    strings = [text.strings for text in TEXTS[:1]]
    assert (other.inner.confirm(strings).values != stack.inner.check(strings).result().values).any()
    assert stack.readings(strings)[0] != other.readings(strings)[0]
    assert [*map(str, stack.draw(0).readings(strings)[0])] == [*map(str, stack.readings(strings)[0])]


def test_there_must_be_something_to_average(bert: Transformer) -> None:
    for victim in (bert, BagOfWords()):
        with pytest.raises(UserError, match="always gives the same answer"):
            MeanOfDraws(victim, 2)
    with pytest.raises(UserError, match="give 2 or more"):
        MeanOfDraws(Five(bert), 1)


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    rows = [f"the {a} film is {b},{label}" for a in ("good", "fine") for b in ("dull", "great") for label in (0, 1)]
    file = tmp_path / "reviews.csv"
    file.write_text("\n".join(["text,label", *rows]))
    return file


@pytest.mark.usefixtures("lexicons")
def test_workers_and_width_change_nothing(bert: Transformer, reviews: Path, tmp_path: Path) -> None:
    def run(out: str, **more: Any) -> list[Any]:
        name = f"five[samples=3,tokens=2]:{bert!r}"
        done = unfool.attack(
            name,
            str(reviews),
            "greedy-synonym",
            eot=2,
            options=Options(device="cpu"),
            out=tmp_path / out,
            progress=False,
            **more,
        )
        assert json.loads((done.folder / "config.json").read_text())["eot"] == 2
        return sorted(done.outcomes(), key=lambda outcome: outcome.id)

    alone = run("alone", in_flight=1)
    assert any(outcome.queries for outcome in alone)
    assert run("crew", workers=2) == alone


@pytest.mark.usefixtures("lexicons")
def test_the_command_averages(bert: Transformer, reviews: Path, tmp_path: Path) -> None:
    def called(*more: object) -> dict[str, Any]:
        command = ["attack", "--victim", f"five[samples=2]:{bert!r}", "--data", reviews, "--device", "cpu"]
        done = run_command(*command, "--attack", "greedy-synonym", "--quiet", "--json", *more, cwd=tmp_path)
        assert done.code == 0, done.err
        summary: dict[str, Any] = json.loads(done.out)
        return summary

    plain, averaged = called("--out", "plain"), called("--eot", 3, "--out", "averaged")
    assert averaged["queries_mean"] > plain["queries_mean"]
