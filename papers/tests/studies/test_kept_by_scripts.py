"""Small scripts: stored sets, searches and learning rates that are kept as files, and small studies timed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.command import fetch_or_skip
from tests.harden.conftest import write_split

from unfool.data import load
from unfool.defences.evaluate import load_premade
from unfool.defences.search import search
from unfool_papers.catalogue import STUDIES
from unfool_papers.defence_tables.table import Texts
from unfool_papers.firebert.stored import STORED, StoredSets
from unfool_papers.scripts import learning_rate, searched, smoke, stored_sets


@pytest.fixture
def films(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Data on which a net learns in a moment; no model is left in the user's cache."""
    data = tmp_path / "films"
    data.mkdir()
    for seed, (split, count) in enumerate((("train", 160), ("validation", 30), ("test", 30)), start=1):
        write_split(data / f"{split}.parquet", count, seed)
    monkeypatch.setattr("unfool.zoo.victim_names.cache_root", lambda: tmp_path / "cache")
    return data


def test_sets_of_every_split_are_stored_and_searched_by(
    films: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch_or_skip("counter-fitted")
    pytest.importorskip("optuna")
    victim = f"zoo:CNN-W-Random-1@{films}"
    splits = {name: Texts(str(films), split, None) for name, split in (("train", "train"), ("dev", "validation"))}
    monkeypatch.setitem(STORED, "rotten_tomatoes", StoredSets(victim, "textfooler:similarity=none", splits))
    out, folder = tmp_path / "stored-sets.json", tmp_path / "stored"
    given = ["rotten_tomatoes", "--folder", str(folder), "--out", str(out), "--device", "cpu", "--n", "12"]
    stored_sets.main([*given, "--splits", "dev"])
    assert json.loads(out.read_text())["rotten_tomatoes"].keys() == {"dev"}
    stored_sets.main(given)
    kept = json.loads(out.read_text())["rotten_tomatoes"]
    assert kept.keys() == {"train", "dev"}
    assert "| rotten_tomatoes, train |" in capsys.readouterr().out
    for split, each in kept.items():
        assert each["samples"] == 12
        assert 0 < each["successes"] <= each["attacked"]
        file = folder / "rotten_tomatoes" / f"{split}.jsonl"
        assert len(load_premade(str(file))) == each["successes"]
    originals = {sample.text.strings[0] for sample in load(str(films), split="validation")}
    dev = (folder / "rotten_tomatoes" / "dev.jsonl").read_text().splitlines()
    assert {json.loads(line)["original_text"] for line in dev} <= originals
    with pytest.raises(SystemExit):
        stored_sets.main([*given, "--splits", "test"])

    found = search(
        f"five[std={{std}}]:{victim}",
        ["std=0.1..1.0"],
        str(films),
        tmp_path / "search",
        minutes=1,
        premade=[str(folder / "rotten_tomatoes" / "dev.jsonl")],
        split="validation",
        n=8,
        trials=2,
        device="cpu",
    )
    searched.main(["toy", str(tmp_path / "search"), "--results", str(tmp_path)])
    trials: dict[str, Any] = json.loads((tmp_path / "search-toy.json").read_text())
    assert [each["trial"] for each in trials["trials"]] == [each.number for each in found.trials]
    assert trials["vary"] == ["std=0.1..1.0"]
    assert f"| 1 of 2 | {found.best.settings['std']:.2f} | " in capsys.readouterr().out


def test_a_rate_is_looked_for_on_held_out_text_and_told_as_the_catalogue_wants_it(
    films: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rates.json"
    given = [f"CNN-W-Random-1@{films}", "--epochs", "1", "--folder", str(tmp_path / "tried"), "--device", "cpu"]
    given += ["--out", str(out), "--rates", "1e-6", "0.01"]
    learning_rate.main(given)
    (kept,) = json.loads(out.read_text()).values()
    assert list(kept) == ["1e-06, 1 epochs", "0.01, 1 epochs"]
    best = max(kept.values(), key=lambda each: each["held out"]["share"])
    assert capsys.readouterr().out.splitlines()[-1] == f"lr={best['rate']:g}"
    learning_rate.main(given)
    assert "2 of 2 pieces are done" in capsys.readouterr().out


def test_small_studies_are_timed_from_one_empty_cache_and_anew_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[list[str], Path]] = []

    def run(command: list[str], *, env: dict[str, str], check: bool) -> None:
        cache = Path(env["UNFOOL_CACHE"])
        assert check
        assert not cache.exists()
        given.append((command[-8:], cache))

    monkeypatch.setattr("subprocess.run", run)
    file = tmp_path / "studies-smoke.json"
    took = smoke.carry_out_all(list(STUDIES), tmp_path / "one", file)
    assert [each["study"] for each in took] == list(STUDIES)
    assert [command[1] for command, _ in given] == list(STUDIES)
    assert {cache for _, cache in given} == {tmp_path / "one" / "cache"}
    assert all(command[2:6] == ["--scale", "smoke", "--device", "cpu"] for command, _ in given)
    kept = json.loads(file.read_text())
    kept["studies"][0]["processor s"] = 999.0
    file.write_text(json.dumps(kept))
    took = smoke.carry_out_all(["cs229"], tmp_path / "two", file)
    assert [each["study"] for each in took] == list(STUDIES)
    assert took[0]["processor s"] == 999.0
    assert smoke.table(took).rows[-1][0] == "together"
