"""What follows from the rates of a transfer study alone, and the results that are kept of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unfool.transfer import exhaustive, factor_impacts
from unfool.zoo import CATALOGUE
from unfool_papers.scripts import transfer as script
from unfool_papers.study.claim import CANNOT_BE_TOLD, HOLDS
from unfool_papers.transferability import matrix as _transfer
from unfool_papers.transferability.matrix import complete, matrix_of, six_findings
from unfool_papers.transferability.matrix_tables import tables

THE_63 = [entry.name for entry in CATALOGUE.values() if entry.number]
OURS = sorted(script.RESULTS.glob("transfer-*-pwws.json")) + sorted(script.RESULTS.glob("transfer-*-ga.json"))


def results(models: int = 63, accuracy: float = 0.8) -> dict[str, Any]:
    """Made-up rates; the corrected ones are half of the others."""
    rates = np.random.default_rng(0).uniform(size=(models, models)).round(3)
    rate = {"value": accuracy, "low": accuracy, "high": accuracy, "of": 100}
    more = {"success": rate, "base": rate, "sends": 0.5, "receives": 0.5, "receives, corrected": 0.25}
    return {
        "data": "rotten_tomatoes",
        "attack": "pwws:entities=none",
        "n": 1000,
        "device": "cpu",
        "seconds": {"train": 1.0},
        "problems": {},
        "mean base rate": 0.5,
        "mean rate between models": 0.5,
        "models": [{"name": f"zoo:{name}@rotten_tomatoes", "accuracy": rate, **more} for name in THE_63[:models]],
        "rates": rates.tolist(),
        "corrected": (rates / 2).tolist(),
        "texts": [500] * models,
        "ensembles": [],
    }


@pytest.fixture(autouse=True)
def few_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_transfer, "SEEDS", 2)


def test_the_search_is_recorded_without_texts_crafted_on_ensembles() -> None:
    found = complete(results())
    best = exhaustive(matrix_of(found), 3)
    assert list(found["search"]) == ["2", "3", "4"]
    assert found["search"]["3"]["members"] == [name.split(":")[1].split("@")[0] for name in best.members]
    assert found["search"]["3"]["fitness"] == pytest.approx(best.fitness, abs=1e-4)
    assert found["search"]["2"]["seeds"] == 2
    assert {each["size"] for each in found["chosen"]} == {2, 3, 4, 5, 6, 7}


def test_a_search_that_is_there_is_not_done_again() -> None:
    there = {"2": {"seeds": 100, "members": [], "fitness": 0.5}}
    assert complete(results() | {"search": there})["search"] == there


def test_finding_the_best_of_a_handful_is_not_counted() -> None:
    found = complete(results(models=5))
    assert found["search"] == {}
    assert not any("seeds" in table.title for table in tables(found))


def test_findings_are_given_by_either_rate() -> None:
    found = complete(results())
    raw, corrected = (found[key]["impacts"] for key in ("analysis", "analysis, corrected"))
    for factor, impact in factor_impacts(matrix_of(found)).items():
        assert raw[factor]["mean"] == pytest.approx(impact.mean, abs=1e-4)
        assert corrected[factor]["mean"] == pytest.approx(impact.mean / 2, abs=1e-3)
    (told,) = (table for table in tables(found) if table.title.startswith("The six findings"))
    assert len(told.rows) == 6
    claim, by_raw, by_corrected = told.rows[0]
    assert claim.startswith("1. the input form matters most")
    assert f"input form {raw['input form']['mean']:.3f}" in by_raw
    assert f"input form {corrected['input form']['mean']:.3f}" in by_corrected


def test_the_fourth_finding_is_told_by_either_rate_with_both_attacks() -> None:
    own, other = complete(results()), results()
    other["rates"], other["corrected"] = (np.full((63, 63), 0.5).tolist() for _ in range(2))
    assert six_findings(own, None)[3].verdict == CANNOT_BE_TOLD
    for corrected in (False, True):
        finding = six_findings(own, other, corrected=corrected)[3]
        assert finding.verdict == HOLDS
        assert finding.figures["GA, capacity"] == 0


def test_corrected_rates_are_over_fewer_texts() -> None:
    found = results(accuracy=0.8)
    assert matrix_of(found).texts[0, 0] == 500
    assert matrix_of(found, corrected=True).texts[0, 0] == 400


def test_tables_are_taken_from_the_file_without_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, picture = tmp_path / "found.json", tmp_path / "map.svg"
    script.write(file, results())
    before = file.read_bytes()
    given = ["transfer", "--table", "--out", str(file), "--picture", str(picture)]
    monkeypatch.setattr("sys.argv", given)
    script.main()
    shown = capsys.readouterr().out
    assert "seeds the genetic search finds the best ensemble of all" in shown
    assert "The six findings" in shown
    assert file.read_bytes() == before
    assert picture.read_text("utf-8").count(" → ") == 63 * 63


def test_a_stage_takes_what_the_sittings_in_its_folder_took_and_not_what_another_study_did(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    script.write(file, results() | {"seconds": {"train": 500.0}})

    def kept(seconds: dict[str, float]) -> Any:
        script.keep(tmp_path, file, results() | {"seconds": seconds})
        return json.loads(file.read_text("utf-8"))["seconds"]

    assert kept({"train": 100.0, "craft and fill": 60.5}) == {"train": 100.0, "craft and fill": 60.5}
    assert kept({"train": 0.1, "ensembles": 20.0}) == {"train": 100.1, "craft and fill": 60.5, "ensembles": 20.0}


def test_the_genetic_attacks_results_are_those_of_the_same_models_and_beside(tmp_path: Path) -> None:
    own, file = results(8), tmp_path / "eight-pwws.json"
    assert script.genetic_attack(file, own) is None
    script.write(tmp_path / "eight-ga.json", results(9) | {"attack": "ga"})
    assert script.genetic_attack(file, own) is None
    script.write(tmp_path / "eight-ga.json", results(8) | {"attack": "ga"})
    assert script.genetic_attack(file, own) == results(8) | {"attack": "ga"}
    assert script.genetic_attack(tmp_path / "eight-ga.json", results(8) | {"attack": "ga"}) is None


@pytest.mark.parametrize("file", [pytest.param(file, id=file.stem) for file in OURS])
def test_on_our_rates_the_genetic_search_finds_the_best_of_all(file: Path) -> None:
    found = json.loads(file.read_text("utf-8"))
    for size in (2, 3, 4):
        kept = found["search"][str(size)]
        assert kept["seeds"] >= 95
        assert kept["fitness"] == pytest.approx(exhaustive(matrix_of(found), size).fitness, abs=1e-4)
