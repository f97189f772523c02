"""A search over settings: what it tries, when it ends, and how it goes on."""

from __future__ import annotations

import json
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import lines, start, unfool
from tests.evaluate.conftest import Trained

from unfool.defences.evaluate import Answers, ask_labels, evaluate, premade
from unfool.defences.search import Found, search
from unfool.errors import UserError
from unfool.victims import open_victim

pytest.importorskip("optuna")


@pytest.fixture(scope="module")
def stored(trained: Trained, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Texts that fooled the plain net."""
    place = tmp_path_factory.mktemp("stored")
    evaluate(trained.plain, trained.task, ["hotflip:width=1"], out=place / "e", n=60, progress=False)
    premade(place / "e" / "runs" / "victim-1-hotflip", place / "texts.jsonl")
    return str(place / "texts.jsonl")


def five(trained: Trained) -> str:
    return "five[std={std},samples={samples},vote={vote}]:" + trained.plain


VARY = ["std=0.01..4.0", "samples=2..5", "vote=logits|majority"]


def test_what_is_no_range_is_told(tmp_path: Path) -> None:
    for wrong in (
        "words",
        "words=",
        "words=9..1",
        "words=a..b",
        "std=1..inf",
        "std=-1e308..1e308",
        f"words=1..{10**400}",
    ):
        with pytest.raises(UserError, match=r"cannot read .*write NAME=LOW\.\.HIGH or NAME=ONE\|OTHER"):
            search("five[words={words}]:x", [wrong], "films", tmp_path / "s", minutes=1, premade=["p"])


def test_the_best_trial_is_told_and_can_be_opened(trained: Trained, stored: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"minutes": 5, "premade": [stored], "n": 20}
    found = search(five(trained), VARY, trained.task, tmp_path / "s", trials=4, **settings)
    assert [trial.score for trial in found.trials] == sorted((trial.score for trial in found.trials), reverse=True)
    best = found.best
    assert best.score == pytest.approx((best.clean + best.adversarial[0]) / 2)
    for trial in found.trials:
        std, samples, vote = (trial.settings[name] for name in ("std", "samples", "vote"))
        assert isinstance(samples, int)
        assert 2 <= samples <= 5
        assert isinstance(std, float)
        assert 0.01 <= std <= 4
        assert vote in ("logits", "majority")
    assert found.to_json() == json.loads((tmp_path / "s" / "summary.json").read_bytes())
    open_victim(best.name)
    far = search(five(trained), VARY, trained.task, tmp_path / "far", trials=1, seed=2**40, **settings)
    assert len(far.trials) == 1  # Optuna knows no such seed
    again = search(five(trained), VARY, trained.task, tmp_path / "s", trials=6, resume=True, **settings)
    assert len(again.trials) == 6
    assert len({str(trial.settings) for trial in again.trials}) == 6
    with pytest.raises(UserError, match="other settings"):
        search(five(trained), VARY, trained.task, tmp_path / "s", seed=5, resume=True, **settings)


def test_time_ends_it(trained: Trained, stored: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slowly(*given: Any) -> Answers:
        time.sleep(1.2)  # longer than all trials may take, so that the first is the last
        return ask_labels(*given)

    monkeypatch.setattr("unfool.defences.search.ask_labels", slowly)
    settings: dict[str, Any] = {"premade": [stored], "n": 5}
    found = search(five(trained), VARY, trained.task, tmp_path / "s", minutes=1 / 60, **settings)
    assert len(found.trials) == 1
    same = search(five(trained), VARY, trained.task, tmp_path / "s", minutes=1 / 60, resume=True, **settings)
    assert len(same.trials) == 1  # the time of the first session counts


@pytest.mark.parametrize("hardened", [False, True])
def test_a_search_is_not_gone_on_with_when_its_model_changed(
    trained: Trained, stored: str, tmp_path: Path, hardened: bool
) -> None:
    shutil.copytree(trained.plain.removeprefix("zoo:"), tmp_path / "model")
    name = f"zoo:{tmp_path / 'model'}"
    template, vary = (
        ("hotflip:share={share}", "share=0.1..0.5") if hardened else ("five[std={std}]:" + name, "std=0.1..1.0")
    )
    given: dict[str, Any] = {"premade": [stored], "n": 5, "train_n": 16, "minutes": 5, "device": "cpu"}
    given["victim"] = name if hardened else None
    search(template, [vary], trained.task, tmp_path / "s", trials=1, **given)
    shutil.rmtree(tmp_path / "model")
    shutil.copytree(trained.hard.removeprefix("zoo:"), tmp_path / "model")
    with pytest.raises(UserError, match=r"was begun with other settings \(the files of .* have changed"):
        search(template, [vary], trained.task, tmp_path / "s", trials=2, resume=True, **given)


def test_of_hardened_models_the_best_is_kept(trained: Trained, stored: str, tmp_path: Path) -> None:
    def found(resume: bool) -> Found:
        return search(
            "hotflip:share={share}", ["share=0.1..0.5"], trained.task, tmp_path / "s", victim=trained.plain,
            premade=[stored], attacks=["hotflip:width=1,operations=flips"], n=10, train_n=32, trials=2, minutes=5,
            sampler="tpe", device="cpu", resume=resume,
        )  # fmt: skip

    best, folder = found(resume=False).best, tmp_path / "s"
    assert len(best.adversarial) == 2
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == ["best"]
    assert open_victim(f"zoo:{folder / 'best'}").labels == ("neg", "pos")
    (folder / "best").rename(folder / f"trial-{best.number}")  # as a session leaves it that is killed then
    assert found(resume=True).best == best
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == ["best"]


def test_columns_and_bad_rows_of_a_file_are_told_on_the_command_line(trained: Trained, tmp_path: Path) -> None:
    rows = [f"the film is {w} {k},{stars}" for k in range(10) for w, stars in (("good", "pos"), ("bad", "neg"))]
    (tmp_path / "mine.csv").write_text("\n".join(["opinion,stars", "a film,unsure", *rows, ""]))
    command = [
        "search", "--defence", "hotflip:share={share}", "--vary", "share=0.1..0.5", "--victim", trained.plain,
        "--data", "mine.csv", "--attack", "hotflip:width=1,operations=flips", "--n", 4, "--trials", 2,
        "--device", "cpu", "--out", "s", "--quiet",
    ]  # fmt: skip
    columns = ["--text", "opinion", "--label", "stars", "--labels", "neg,pos"]
    assert "name it with --text" in unfool(*command, cwd=tmp_path).err
    assert "leave them out with --skip-bad" in unfool(*command, *columns, cwd=tmp_path).err
    said = unfool(*command, *columns, "--skip-bad", cwd=tmp_path)
    assert said.code == 0
    told_once = ["skipped line 2: label 'unsure' is none of 0=neg, 1=pos"]
    assert said.err.splitlines() == told_once
    assert "2 trials in" in said.out
    other = unfool(*command, *columns[:4], "--labels", "neg,pos,unsure", "--resume", cwd=tmp_path)
    assert "the labels were neg, pos, and are now neg, pos, unsure" in other.err


@pytest.mark.parametrize(
    ("template", "vary", "more", "said"),
    [
        ("five:x", [], {"premade": ["p"]}, "varies nothing"),
        ("five[std={std}]:x", ["words=1..2"], {"premade": ["p"]}, "varies std, but ranges are given for words"),
        ("five[std={std}]:x", ["std=1..2"], {}, "give --premade or --attack"),
        ("five[std={std}]:x", ["std=1..2", "std=3..4"], {"premade": ["p"]}, "two ranges are given for std"),
        ("five[std={s:z}]:x", ["s=1..2"], {"premade": ["p"]}, "cannot read"),
        ("five[std={}]:x", ["=1..2"], {"premade": ["p"]}, "cannot read"),
        ("fict:words={w}", ["w=1..2"], {"premade": ["p"], "victim": "zoo:x"}, "did you mean 'fact'"),
    ],
)
def test_mistakes_are_told(
    template: str, vary: list[str], more: dict[str, Any], said: str, trained: Trained, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=said):
        search(template, vary, trained.task, tmp_path / "s", minutes=1, **more)


def test_what_fails_every_trial_ends_the_search_and_is_told(trained: Trained, stored: str, tmp_path: Path) -> None:
    told: list[tuple[int, float | str]] = []
    settings: dict[str, Any] = {"minutes": 5, "premade": [stored], "told": lambda *trial: told.append(trial)}
    template = five(trained).replace("std=", "sdt=")
    with pytest.raises(UserError, match=r"no trial was completed; the last failed: .*did you mean 'std'"):
        search(template, VARY, trained.task, tmp_path / "s", **settings)
    assert [number for number, _ in told] == [0, 1, 2]
    assert all("no setting 'sdt'" in str(why) for _, why in told)
    found = search(five(trained), VARY, trained.task, tmp_path / "s", n=5, trials=1, **settings)
    assert len(found.trials) == 1  # in the same folder, which the mistake does not block


def test_a_trial_that_fails_does_not_end_the_search(trained: Trained, stored: str, tmp_path: Path) -> None:
    vary = ["vote=logits|majority|nobody", "samples=2..3"]
    settings: dict[str, Any] = {"minutes": 5, "premade": [stored], "n": 5, "seed": 2}
    template = "five[vote={vote},samples={samples}]:" + trained.plain
    told: list[float | str] = []
    found = search(template, vary, trained.task, tmp_path / "s", told=lambda _, said: told.append(said), **settings)
    assert sorted(isinstance(said, str) for said in told) == [False] * 4 + [True] * 2
    assert {trial.settings["vote"] for trial in found.trials} == {"logits", "majority"}


@pytest.mark.parametrize("sampler", ["random", "tpe"])
def test_no_settings_are_tried_twice(trained: Trained, stored: str, tmp_path: Path, sampler: Any) -> None:
    vary = ["samples=1..4", "vote=logits|majority", "std=1.0..1.0"]
    made: list[str] = []

    def found(**more: Any) -> Found:
        return search(
            five(trained), vary, trained.task, tmp_path / "s", minutes=5, premade=[stored], n=5, sampler=sampler,
            told=lambda number, _: made.append(str(number)), **more,
        )  # fmt: skip

    assert not found(trials=3).all_tried
    whole = found(resume=True)  # ends by itself
    assert whole.all_tried
    assert len(made) == len(whole.trials) == 8
    assert len({str(trial.settings) for trial in whole.trials}) == 8
    assert found(resume=True).trials == whole.trials


def test_that_all_settings_are_tried_is_told(trained: Trained, stored: str, tmp_path: Path) -> None:
    said = unfool(
        "search", "--defence", "five[samples={samples}]:" + trained.plain, "--vary", "samples=1..2",
        "--data", trained.task, "--premade", stored, "--n", 5, "--device", "cpu", "--out", "s", "--quiet",
        cwd=tmp_path,
    )  # fmt: skip
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[-1] == "all settings have been tried"


def test_what_a_killed_hardening_left_is_removed(trained: Trained, stored: str, tmp_path: Path) -> None:
    def found(resume: bool) -> Found:
        return search(
            "hotflip:share={share}", ["share=0.1..0.5"], trained.task, tmp_path / "s", victim=trained.plain,
            premade=[stored], n=5, train_n=16, trials=1, minutes=5, device="cpu", resume=resume,
        )  # fmt: skip

    found(resume=False)
    for name in (".trial-7.part-abc", "trial-7.training"):
        (tmp_path / "s" / name).mkdir()
    (tmp_path / "s" / ".trial-7.lock").touch()
    found(resume=True)
    assert not [*(tmp_path / "s").glob("*trial-*")]


def test_killed_and_resumed(trained: Trained, stored: str, tmp_path: Path) -> None:
    command = [
        "search", "--defence", five(trained), "--vary", *VARY, "--data", trained.task, "--premade", stored,
        "--out", "s", "--n", 20, "--device", "cpu", "--quiet", "--minutes", 5,
    ]  # fmt: skip
    process = start(*command, "--trials", 10000, cwd=tmp_path)
    log = tmp_path / "s" / "trials.log"
    while lines(log) < 30 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    said = unfool(*command, "--trials", 3, "--resume", cwd=tmp_path)
    assert (said.code, said.err) == (0, "")
    assert "trials in" in said.out
