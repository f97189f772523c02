"""The tables of defences: their pieces, the faults switched on, and all of it in small, killed and resumed."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from papers.tests.studies.logged_pieces import pieces
from tests.end_to_end.command import fetch_or_skip
from tests.harden.conftest import write_split
from tests.toy_nets import WORDS, toy_net

from unfool import zoo
from unfool.data import load
from unfool.defences import Fuse, FuseSettings
from unfool.defences.evaluate import Evaluation, evaluate
from unfool.defences.harden import Hardened
from unfool.training import Accuracy
from unfool.victims import Input
from unfool_papers import firebert, hotflip
from unfool_papers.defence_tables import pieces as room
from unfool_papers.defence_tables.faults import item_zero, shuffled_at_load
from unfool_papers.defence_tables.part import FOLDER, defences_part
from unfool_papers.defence_tables.pieces import jobs, victim_of
from unfool_papers.defence_tables.records import Place
from unfool_papers.defence_tables.table import Texts
from unfool_papers.scripts import defences as script
from unfool_papers.study import carry_out
from unfool_papers.study.claim import Claim, Figures
from unfool_papers.study.pieces import do_all, finished
from unfool_papers.study.plan import LATER, Plan, Study


@pytest.mark.parametrize("workers", [1, 2])
def test_pieces_wait_for_what_they_need_and_are_never_done_twice(tmp_path: Path, workers: int) -> None:
    results = do_all(pieces(tmp_path), tmp_path, workers, print)
    assert results.kept.keys() == {"a", "b", "c"}
    assert "ValueError: broken" in results.failed["broken"]
    assert results.failed["never"] == "left out, since what it needs failed"
    log = (tmp_path / "log").read_text().split()
    assert sorted(log) == ["a", "b", "broken", "c"]
    assert log.index("a") < log.index("b") < log.index("c")
    assert do_all(pieces(tmp_path), tmp_path, workers, print).kept == results.kept
    assert (tmp_path / "log").read_text().split() == [*log, "broken"]
    assert finished(pieces(tmp_path), tmp_path) == results.kept


def test_stopped_in_time_it_leaves_the_rest_for_another(tmp_path: Path) -> None:
    for workers in (1, 2):
        results = do_all(pieces(tmp_path), tmp_path, workers, print, ends=time.monotonic())
        assert (results.kept, results.failed, len(results.left)) == ({}, {}, 5)
    assert do_all(pieces(tmp_path), tmp_path, 1, print).kept.keys() == {"a", "b", "c"}


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


def test_every_arm_has_the_victim_it_says(tmp_path: Path) -> None:
    _, mnli = firebert.TABLES["full"]
    (tmp_path / "models" / "fact").mkdir(parents=True)
    fact_trained = Hardened("", {}, 1, 0.5, "fp32", Accuracy(0.5, 2), {}, None)
    (tmp_path / "models" / "fact" / "training.json").write_text(json.dumps(fact_trained.to_json()))
    names = {arm.name: victim_of(mnli, arm, Place(tmp_path, "cpu", False, tmp_path)) for arm in mnli.arms}
    fact = f"hf:{tmp_path}/models/fact"
    assert names == {
        "baseline": "zoo:BERT@mnli",
        "tuned anew": "zoo:BERT@mnli#1",
        "FIVE": "five[std=8.14,samples=8,noise=text]:zoo:BERT@mnli",
        "FIVE that masks": "five[std=8.14,samples=8,arm=mask]:zoo:BERT@mnli",
        "FuSE": "fuse[words=2,alternatives=14]:zoo:BERT@mnli",
        "FuSE, item 0": "fuse[words=2,alternatives=14]:zoo:BERT@mnli",
        "FACT": fact,
        "FuSE on FACT": f"fuse[words=2,alternatives=14]:{fact}",
        "FuSE on FACT, item 0": f"fuse[words=2,alternatives=14]:{fact}",
        "FIVE on FACT": f"five[std=8.14,samples=8,noise=text]:{fact}",
    }


def test_a_piece_needs_what_its_victim_is_made_of_and_a_fault_is_tried_where_it_was(tmp_path: Path) -> None:
    place = Place(tmp_path, "cpu", False, tmp_path)
    imdb, mnli = ({job.name: job.needs for job in jobs(table, place)} for table in firebert.TABLES["full"])
    assert mnli["mnli-fact-trained"] == ("mnli-base",)
    assert mnli["mnli-baseline-attacked"] == ("mnli-base",)
    assert mnli["mnli-five-on-fact-judged"] == ("mnli-fact-trained", "mnli-premade")
    assert mnli["mnli-tuned-anew-attacked"] == ("mnli-tuned-anew-trained", "mnli-base")
    assert {name for name in mnli if "item" in name} == {
        "mnli-fuse--item-0-attacked",
        "mnli-fuse-on-fact--item-0-attacked",
    }
    assert {name for name in imdb if "shuffled" in name} == {"imdb-fuse--shuffled-at-load-judged"}
    (trained,) = hotflip.TABLES["full"]
    pieces = {job.name: job.needs for job in jobs(trained, place)}
    assert pieces["ag_news-baseline-judged"] == ("ag_news-base", "ag_news-baseline-trained")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both tables in small, with nets that learn in a moment; no model is left in the user's cache."""
    for resource in ("counter-fitted", "minilm"):
        fetch_or_skip(resource)
    data = tmp_path / "data"
    data.mkdir()
    for seed, (split, count) in enumerate((("train", 240), ("validation", 40), ("test", 80)), start=1):
        write_split(data / f"{split}.parquet", count, seed)
    monkeypatch.setattr("unfool.zoo.victim_names.cache_root", lambda: tmp_path / "cache")
    words, letters = f"zoo:CNN-W-Random-1@{data}", f"zoo:CNN-C-Random-1@{data}[60]"
    texts = Texts(str(data))
    faults = (firebert.SHUFFLED, firebert.ITEM_ZERO)
    arms = firebert.arms_of(
        "samples=3", "words=1,alternatives=3", "fact:words=2,alternatives=2", f"{words}#1", faults
    )
    (whole,), (trained,) = firebert.TABLES["smoke"], hotflip.TABLES["smoke"]
    tables = {
        firebert: whole._replace(
            base=words, clean=texts._replace(share=5), attacked=texts, arms=arms, epochs=1, n=4
        ),
        hotflip: trained._replace(
            base=letters,
            clean=texts._replace(share=None),
            attacked=texts,
            arms=tuple(arm for arm in trained.arms if arm.name in ("baseline", "white-box training")),
            epochs=1,
            n=4,
        ),
    }
    for module, table in tables.items():
        monkeypatch.setitem(module.TABLES, "smoke", (table,))
    return tmp_path


def run(folder: Path, paper: str, *more: str) -> dict[str, Any]:
    where = ["--folder", str(folder / paper / FOLDER), "--out", str(folder / "defences.json")]
    script.main([paper, "--scale", "smoke", "--device", "cpu", *where, *more])
    found: dict[str, Any] = json.loads((folder / "defences.json").read_text())[paper]
    return found


def nothing(figures: Figures) -> list[Claim]:
    return []


@pytest.mark.slow
def test_firebert_is_killed_and_gone_on_with_and_the_study_says_the_same(
    small: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, calls = evaluate, 0

    def killed(*given: Any, **more: Any) -> Evaluation:
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return whole(*given, **more)

    monkeypatch.setattr(room, "evaluate", killed)
    with pytest.raises(SystemExit, match=f"rotten_tomatoes-base: {LATER}"):
        run(small, "firebert", "--minutes", "0")
    with pytest.raises(KeyboardInterrupt):
        run(small, "firebert")
    found = run(small, "firebert")["rotten_tomatoes"]
    (table,) = firebert.TABLES["smoke"]
    plain = [arm.name for arm in table.arms if not arm.fault]
    assert calls == 1 + 2 * len(plain) + 3
    assert list(found["arms"]) == [arm.name for arm in table.arms]
    attacked = {"right before textfooler", "left by textfooler", "fooled by textfooler"}
    assert all({"clean", "premade", *attacked} <= found["arms"][arm]["rates"].keys() for arm in plain)
    assert found["arms"]["baseline"]["rates"]["premade"]["count"] == 0
    assert found["arms"]["FIVE on FACT"]["p"].keys() == {"clean", "premade", "left by textfooler"}
    assert "left by textfooler" not in found["arms"]["FuSE, shuffled at load"]["rates"]
    assert "clean" not in found["arms"]["FuSE, item 0"]["rates"]
    assert sum("texts that textfooler made on" in note for note in found["notes"]) == 2
    drawn = {file.name for file in (small / "firebert" / FOLDER / "figures").glob("*.svg")}
    assert drawn == {
        "defences-rotten_tomatoes.svg",
        "rotten_tomatoes-word-neighbours.svg",
        "rotten_tomatoes-gaussian-clouds.svg",
    }
    assert "| FIVE on FACT |" in capsys.readouterr().out

    study = Study("firebert", 4, "", "", {"smoke": Plan((), nothing, (defences_part("Defences", (table,)),))})
    page = carry_out(study, "smoke", out=small / "firebert", device="cpu", progress=False)
    assert calls == 1 + 2 * len(plain) + 3  # the study finds what the script has done
    assert not page.found.problems
    assert json.loads(page.results.read_text())["parts"]["Defences"]["rotten_tomatoes"] == found
    assert "| FuSE on FACT, item 0 |" in page.page.read_text()
    with pytest.raises(SystemExit, match=r"was begun with another table \(n: 4 → 5\)"):
        run(small, "firebert", "--n", "5")


@pytest.mark.slow
def test_hotflip_is_done_in_processes_side_by_side(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(small, "hotflip")["ag_news"]
    assert list(found["arms"]) == ["baseline", "white-box training"]
    assert found["arms"]["white-box training"]["method"] == "hotflip"
    # Where the only attack follows gradients, one that only asks stands beside.
    assert found["arms"]["baseline"]["under attack"].keys() == {"hotflip", "key-star"}
    assert found["arms"]["white-box training"]["p"].keys() == {"clean", "left by hotflip", "left by key-star"}
    said = capsys.readouterr().out
    assert "| defence | error, % [paper] |" in said
    assert "under attack by key-star" in said
