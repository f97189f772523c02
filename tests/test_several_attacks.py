"""Several attacks in one go: each run is what it would have been alone; together they are the worst case."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import unfool
from tests.end_to_end.command import RESULTS, REVIEWS, VADER, fetch_or_skip
from tests.end_to_end.command import unfool as command
from tests.toys import BagOfWords
from unfool.data import from_texts
from unfool.engine import Status
from unfool.errors import UserError
from unfool.report import terminal, write
from unfool.runs import Runs, worst_case
from unfool.victims import Input

STRINGS = [
    f"a {kind} film of {number} hours {words}"
    for kind in ("good", "dull", "clever")
    for number in range(4)
    for words in ("with a cast", "and many songs", "")
]
ATTACKS = ["viper:draws=5", "deepwordbug:change=swap", "deepwordbug:change=delete"]
HARD = 0.5


class Counting(BagOfWords):
    """Counts the texts it is asked about."""

    asked = 0

    def probabilities(self, inputs: Sequence[Input]) -> Any:
        self.asked += len(inputs)
        return super().probabilities(inputs)


@pytest.fixture(autouse=True)
def words() -> None:
    """What tells typos from words."""
    fetch_or_skip("counter-fitted")


@pytest.fixture
def texts() -> unfool.Dataset:
    victim = BagOfWords(lean=HARD)
    return from_texts(STRINGS, [f"class {victim.label((text,))}" for text in STRINGS], names=victim.labels)


def attacked(victim: BagOfWords, texts: unfool.Dataset, folder: Path, **options: Any) -> Runs:
    return unfool.attack_all(victim, texts, ATTACKS, folder, progress=False, **options)


def test_each_run_is_the_one_it_would_have_been_alone(tmp_path: Path, texts: unfool.Dataset) -> None:
    together, apart = Counting(lean=HARD), Counting(lean=HARD)
    runs = attacked(together, texts, tmp_path / "all")
    assert list(runs.by_attack) == ATTACKS
    for number, (name, run) in enumerate(runs.by_attack.items()):
        alone = unfool.attack(apart, texts, name, out=tmp_path / str(number), progress=False)
        assert [(run.folder / file).read_bytes() for file in RESULTS] == [
            (alone.folder / file).read_bytes() for file in RESULTS
        ]
    assert together.asked < apart.asked


def test_the_worst_case_counts_a_text_that_any_attack_fooled(tmp_path: Path, texts: unfool.Dataset) -> None:
    runs = attacked(BagOfWords(lean=HARD), texts, tmp_path / "all")
    by_id = [{outcome.id: outcome for outcome in run.outcomes()} for run in runs]
    fooled = [number for number in by_id[0] if any(each[number].status is Status.SUCCESS for each in by_id)]
    right = [number for number, outcome in by_id[0].items() if outcome.before.label == outcome.label]
    assert runs.worst.success_rate.count == len(fooled) > max(run.summary.successes for run in runs)
    assert runs.worst.accuracy.count == len(right) - len(fooled)
    assert runs.worst.accuracy.of == len(STRINGS)


def test_later_attacks_are_spared_what_is_fooled_and_the_worst_case_stays(
    tmp_path: Path, texts: unfool.Dataset
) -> None:
    thrifty, thorough = Counting(lean=HARD), Counting(lean=HARD)
    few = attacked(thrifty, texts, tmp_path / "few", until_fooled=True)
    many = attacked(thorough, texts, tmp_path / "many")
    assert few.worst == many.worst
    assert thrifty.asked < thorough.asked
    left = set(range(len(STRINGS)))
    for run, whole in zip(few, many, strict=True):
        assert {outcome.id for outcome in run.outcomes()} == left
        kept = {outcome.id: outcome for outcome in whole.outcomes()}
        for outcome in run.outcomes():
            assert outcome == kept[outcome.id]
            left -= {outcome.id} if outcome.status is Status.SUCCESS else set()


def test_what_was_stopped_goes_on(tmp_path: Path, texts: unfool.Dataset) -> None:
    whole = attacked(BagOfWords(lean=HARD), texts, tmp_path / "whole", until_fooled=True)
    stopped = attacked(BagOfWords(lean=HARD), texts, tmp_path / "stopped", until_fooled=True)
    last = list(stopped)[-1].folder
    for file in last.iterdir():
        file.unlink()
    last.rmdir()
    assert (
        attacked(BagOfWords(lean=HARD), texts, tmp_path / "stopped", until_fooled=True, resume=True).worst
        == whole.worst
    )
    with pytest.raises(UserError, match="holds the runs of several attacks already"):
        attacked(BagOfWords(lean=HARD), texts, tmp_path / "stopped")
    with pytest.raises(UserError, match="other settings"):
        attacked(BagOfWords(lean=HARD), texts, tmp_path / "stopped", resume=True)


def test_attacks_that_would_share_a_folder_are_refused(tmp_path: Path, texts: unfool.Dataset) -> None:
    for attacks, told in ((["key", "key"], "named twice"), ([], "no attack")):
        with pytest.raises(UserError, match=told):
            unfool.attack_all(BagOfWords(), texts, attacks, tmp_path / "all", progress=False)
    assert not (tmp_path / "all").exists()


def test_page_and_terminal_tell_each_attack_and_the_worst_case(
    tmp_path: Path, texts: unfool.Dataset, capsys: pytest.CaptureFixture[str]
) -> None:
    from rich.console import Console

    runs = attacked(BagOfWords(lean=HARD), texts, tmp_path / "all", until_fooled=True)
    Console(width=200).print(terminal(list(runs), examples=0))
    said = capsys.readouterr().out
    assert f"worst case of {len(runs)} attacks: under attack {runs.worst.accuracy}" in said
    assert all(run.name in said for run in runs)
    write([tmp_path / "all"], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert all(f'"name": "{run.name}"' in page for run in runs)
    assert worst_case(list(runs)) == runs.worst


def test_the_command_line_takes_attacks_behind_each_other(tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_bytes(REVIEWS.read_bytes())
    shared = ["--victim", VADER, "--data", "reviews.csv", "--attack", "key", "pruthi", "--n", "12", "--json"]
    done = command("attack", *shared, "--out", "runs/all", "--until-fooled", cwd=tmp_path)
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert list(told["runs"]) == ["key", "pruthi"]
    runs = Runs.open(tmp_path / "runs" / "all")
    assert told["worst_case"] == json.loads(json.dumps(runs.worst.to_dict()))
    shown = command("show", "runs/all", cwd=tmp_path)
    assert shown.code == 0
    assert "worst case of 2 attacks" in shown.out
    for more, why in (([], "--out"), (["--out", "x", "--shard", "1/2"], "--shard")):
        refused = command("attack", *shared, *more, cwd=tmp_path)
        assert refused.code == 2
        assert why in refused.err
