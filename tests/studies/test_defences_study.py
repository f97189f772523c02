"""The study of the defences: its pieces, the faults it switches on, and a rehearsal of all of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from studies.defences import __main__ as study
from studies.defences import figures, firebert, hotflip
from studies.defences.faults import item_zero, shuffled_at_load
from studies.defences.jobs import Job, carry_out, finished
from studies.defences.setting import Setting
from tests.end_to_end.command import fetch_or_skip
from tests.harden.conftest import write_split
from tests.toy_nets import WORDS, toy_net

import unfool
from unfool import zoo
from unfool.data import load
from unfool.defences import Fuse, FuseSettings
from unfool.victims import Input


def write_down(place: Path, said: str) -> Mapping[str, Any]:
    with (place / "log").open("a") as file:
        file.write(said + "\n")
    if said == "broken":
        raise ValueError(said)
    return {"said": said}


def pieces(place: Path) -> list[Job]:
    return [
        Job("c", write_down, (place, "c"), ("b",)),
        Job("a", write_down, (place, "a")),
        Job("broken", write_down, (place, "broken"), ("a",)),
        Job("never", write_down, (place, "never"), ("a", "broken")),
        Job("b", write_down, (place, "b"), ("a",)),
    ]


@pytest.mark.parametrize("workers", [1, 2])
def test_pieces_wait_for_what_they_need_and_are_never_done_twice(tmp_path: Path, workers: int) -> None:
    results = carry_out(pieces(tmp_path), tmp_path, workers)
    assert results.kept.keys() == {"a", "b", "c"}
    assert "ValueError: broken" in results.failed["broken"]
    assert results.failed["never"] == "left out, since what it needs failed"
    log = (tmp_path / "log").read_text().split()
    assert sorted(log) == ["a", "b", "broken", "c"]
    assert log.index("a") < log.index("b") < log.index("c")
    assert carry_out(pieces(tmp_path), tmp_path, workers).kept == results.kept
    assert (tmp_path / "log").read_text().split() == [*log, "broken"]
    assert finished(pieces(tmp_path), tmp_path) == results.kept


def test_stopped_in_time_it_leaves_the_rest_for_another(tmp_path: Path) -> None:
    for workers in (1, 2):
        results = carry_out(pieces(tmp_path), tmp_path, workers, seconds=0.01 if workers == 2 else -1)
        assert (results.kept, results.failed, len(results.left)) == ({}, {}, 5)
    assert carry_out(pieces(tmp_path), tmp_path, 1).kept.keys() == {"a", "b", "c"}


def test_the_faults_let_strangers_vote_and_the_package_does_not(tmp_path: Path) -> None:
    fetch_or_skip("counter-fitted")
    texts = ["the good plot is fine", "a dull film is awful", "the cast is great", "bad plot and bad film"]
    (tmp_path / "texts.csv").write_text("\n".join(["text,label", *(f"{text},1" for text in texts), ""]))
    source = load(str(tmp_path / "texts.csv"))
    net = toy_net("KimCNN", zoo.WordVocabulary(WORDS, max_length=12), filters=6)
    settings = FuseSettings(words=1, alternatives=3)
    inputs = [sample.text.strings for sample in source]
    right = Fuse(net, settings).readings(inputs)
    shuffled = shuffled_at_load(net, settings, source)
    for fuse in (shuffled, item_zero(net, settings, source)):
        assert [str(own) for own, *_ in fuse.readings(inputs)] == texts
        assert "with the fault" in repr(fuse)
    by_text = {str(own): [str(other) for other in others] for own, *others in right}
    assert all(others == by_text[texts[0]] for _, *others in _strings(item_zero(net, settings, source), inputs))
    found = [next(t for t in texts if by_text[t] == others) for _, *others in _strings(shuffled, inputs)]
    assert sorted(found) == sorted(texts)
    assert found != texts
    assert _strings(shuffled.draw(3), inputs) != _strings(shuffled, inputs)
    stored = [("a great plot",)]  # texts that are not of the shuffled set vote with their own
    assert _strings(shuffled, stored) == _strings(Fuse(net, settings), stored)


def _strings(fuse: Fuse, inputs: Sequence[Input]) -> list[list[str]]:
    return [[str(text) for text in group] for group in fuse.readings(inputs)]


def test_every_row_has_the_victim_it_says(tmp_path: Path) -> None:
    setting = Setting(tmp_path, "cpu", 500)
    (tmp_path / "mnli" / "fact").mkdir(parents=True)
    (tmp_path / "mnli" / "fact" / "training.json").touch()
    names = {row: firebert.victim_name(firebert.TASKS["mnli"], setting, row) for row in firebert.JUDGED}
    fact = f"hf:{tmp_path}/mnli/fact"
    assert names == {
        "base": "zoo:BERT@mnli",
        "again": "zoo:BERT@mnli#1",
        "five": "five[std=8.14,samples=8]:zoo:BERT@mnli",
        "mask": "five[std=8.14,samples=8,arm=mask]:zoo:BERT@mnli",
        "fuse": "fuse[words=2,alternatives=14]:zoo:BERT@mnli",
        "fact": fact,
        "fuse-fact": f"fuse[words=2,alternatives=14]:{fact}",
        "five-fact": f"five[std=8.14,samples=8]:{fact}",
    }


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both studies in small, with nets that learn in a moment; no model is left in the user's cache."""
    for resource in ("counter-fitted", "minilm"):
        fetch_or_skip(resource)
    data = tmp_path / "data"
    data.mkdir()
    for seed, (split, count) in enumerate((("train", 240), ("validation", 40), ("test", 80)), start=1):
        write_split(data / f"{split}.parquet", count, seed)
    monkeypatch.setattr("unfool.zoo._names.cache_root", lambda: tmp_path / "cache")
    words = f"zoo:CNN-W-Random-1@{data}"
    task = firebert.REHEARSAL._replace(
        base=words, again=f"{words}#1", train=f"{data}[60]", clean=str(data), active=str(data)
    )
    letters = hotflip.REHEARSAL._replace(
        base=f"zoo:CNN-C-Random-1@{data}[60]",
        data=f"{data}[60]",
        arms=MappingProxyType({"white-box": "hotflip", "baseline": "plain"}),
    )
    monkeypatch.setattr(firebert, "REHEARSAL", task)
    monkeypatch.setattr(hotflip, "REHEARSAL", letters)
    monkeypatch.setattr(hotflip, "CONFIDENCES", (0.5, 0.9))
    monkeypatch.setattr(figures, "POINTS", 20)
    return tmp_path


def run(folder: Path, paper: str) -> dict[str, Any]:
    study.main([paper, "--rehearse", "--folder", str(folder / paper), "--n", "4", "--device", "cpu"])
    found: dict[str, Any] = json.loads((folder / paper / "results.json").read_text())[paper]
    return found


@pytest.mark.slow
def test_firebert_is_rehearsed_killed_and_gone_on_with(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, calls = unfool.evaluate, 0

    def killed(*given: Any, **more: Any) -> dict[str, Any]:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return whole(*given, **more)

    monkeypatch.setattr(unfool, "evaluate", killed, raising=False)
    with pytest.raises(KeyboardInterrupt):
        run(small, "firebert")
    assert not (small / "firebert" / "results.json").exists()
    found = run(small, "firebert")["rehearsal"]
    assert calls == 1 + 2 * len(firebert.JUDGED) + 3
    assert found["rows"].keys() == set(firebert.JUDGED)
    assert all({"clean", "premade", "left"} <= row.keys() for row in found["rows"].values())
    assert found["rows"]["base"]["premade"]["count"] == 0
    assert found["faults"].keys() == {"fuse shuffled", "fuse item-zero", "fuse-fact item-zero"}
    assert {row["from"] for row in found["transfer"]} == {"base", "victim"}
    drawn = {file.name for file in (small / "firebert" / "figures").glob("*.json")}
    assert drawn == {"rehearsal-word-neighbours.json", "rehearsal-gaussian-clouds.json"}
    said = capsys.readouterr().out
    assert "| FIVE on FACT |" in said
    assert "The suspected faults, switched on:" in said
    assert run(small, "firebert")["rehearsal"] == found
    assert calls == 1 + 2 * len(firebert.JUDGED) + 3
    with pytest.raises(SystemExit, match="was begun with --n 4"):
        study.main(["firebert", "--rehearse", "--folder", str(small / "firebert"), "--n", "5"])


@pytest.mark.slow
def test_hotflip_is_rehearsed(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(small, "hotflip")
    assert found["rows"].keys() == {"white-box", "baseline"}
    assert found["rows"]["white-box"]["method"] == "hotflip"
    assert len(found["curve"]) == 2 * len(hotflip.SEARCHES)
    assert (small / "hotflip" / "figures" / "success-by-confidence.json").is_file()
    said = capsys.readouterr().out
    assert "| white-box (`hotflip`) |" in said
    assert "Success by the confidence" in said
