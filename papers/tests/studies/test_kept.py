"""Kept results are taken where they are what a study asks for, and a folder that is whole needs no model."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from papers.tests.studies.test_row_table import ROW
from papers.tests.studies.test_transfer_results import THE_63, results
from tests.end_to_end.command import REVIEWS, fetch_or_skip

from unfool.data import at_hand
from unfool.errors import UserError
from unfool.transfer import Study, fooling_texts, study
from unfool_papers.catalogue import STUDIES
from unfool_papers.study.kept import Kept
from unfool_papers.study.plan import Part, Section, Work
from unfool_papers.study.row import Row
from unfool_papers.transferability import matrix
from unfool_papers.transferability.candidates import Candidates, left_out
from unfool_papers.transferability.matrix import Matrices, complete, fool_most, whole
from unfool_papers.transferability.parts import matrices_part

NAMES = tuple(f"py:tests.transfer.crowd:{name}" for name in ("one", "two", "three"))
RESULTS = Path(__file__).parents[3] / "results"
FILMS = Matrices(tuple(THE_63[:5]), "rotten_tomatoes", sizes=())


@pytest.fixture(autouse=True)
def few_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "SEEDS", 2)


def done(part: Part, folder: Path, **files: Any) -> Section:
    for name, found in files.items():
        (folder / f"{name.replace('_', '-')}.json").write_text(json.dumps(found))
    return part.do(Work(folder / "out", "cpu", 1, print, progress=False, ends=0.0, kept=Kept(folder)))


def five_models() -> dict[str, Any]:
    return complete(results(5) | {"keep": 500, "stand-ins": {}, "texts": [500] * 5})


def test_a_matrix_that_was_kept_is_not_measured_again(tmp_path: Path) -> None:
    part = matrices_part("films", FILMS, genetic_attack=True, kept="films-{attack}")
    section = done(part, tmp_path, films_pwws=five_models())
    assert list(section.values) == ["pwws"]
    assert section.values["pwws"]["taken from"] == "films-pwws.json"
    assert "rates" not in section.values["pwws"]
    assert section.notes[0] == "Taken from `results/films-pwws.json`, measured on cpu."
    (missing,) = section.problems.items()
    assert missing[0] == "ga on 5 models of rotten_tomatoes"
    assert "--attack ga --folder films-ga --models" in missing[1]
    assert len(section.claims) == 6


@pytest.mark.parametrize("other", [{"n": 999}, {"keep": 100}, {"attack": "ga"}, {"data": "ag_news"}])
def test_a_matrix_of_something_else_is_not_taken(tmp_path: Path, other: dict[str, Any]) -> None:
    section = done(matrices_part("films", FILMS, kept="films"), tmp_path, films=five_models() | other)
    assert not section.values
    assert list(section.problems) == ["pwws on 5 models of rotten_tomatoes"]


def test_ensembles_that_are_missing_are_named_and_taken_once_they_are_there(tmp_path: Path) -> None:
    part = matrices_part("films", FILMS._replace(sizes=(2,)), kept="films")
    assert "--ensembles-by results/films.json" in str(done(part, tmp_path, films=five_models()).problems)
    chosen = {"size": 2, "how": "genetic", "members": list(THE_63[:2]), "fitness": 0.5}
    crafted = {"ensembles": [{**chosen, "rate": 0.6, "fooled": 900, "texts": 1500, "outside": 3}]}
    section = done(part, tmp_path, ensembles_films=crafted)
    assert not section.problems
    assert section.claims[-1]["figures"]["the ensemble"] == 60.0


def test_rules_are_told_alike_whether_they_were_mined_now_or_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "rules-ag_news-nine-nets"
    found = json.loads((RESULTS / f"{name}.json").read_bytes())
    (part,) = (each for each in STUDIES["transferability"].plans["full"].parts if each.title.endswith("nine nets"))
    (tmp_path / f"{name}.json").write_text(json.dumps(found))
    kept = done(part, tmp_path)
    monkeypatch.setattr("unfool_papers.transferability.rules.rules", lambda *asked, **how: dict(found))
    mined = part.do(Work(tmp_path / "anew", "cpu", 1, print, progress=False))
    assert kept.notes[0] == f"Taken from `results/{name}.json`."
    assert list(mined.notes) == list(kept.notes)[1:]
    assert (mined.tables, mined.claims, mined.problems) == (kept.tables, kept.claims, kept.problems)


def test_rows_are_taken_where_they_are_of_as_many_texts(tmp_path: Path) -> None:
    row = Row(2, "pwws", "zoo:NB@imdb", "imdb", n=20)
    (tmp_path / "attacks.json").write_text(json.dumps({"rows": [{**ROW, "row": row.name}]}))
    assert list(Kept(tmp_path).records([row])) == [row.name]
    assert Kept(tmp_path).records([row._replace(n=30)]) == {}
    (tmp_path / "attacks.json").write_text("[")
    with pytest.raises(UserError, match="holds no results"):
        Kept(tmp_path).records([row])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Study:
    fetch_or_skip("wordnet")
    folder = tmp_path_factory.mktemp("study") / "s"
    found = study(list(NAMES), str(REVIEWS), "greedy-synonym", out=folder, n=40, progress=False)
    # Each has the next one's answers for its twin's.
    found.twins = dict(zip(NAMES, NAMES[1:] + NAMES[:1], strict=True))
    found.write()
    return found


def test_a_folder_is_whole_where_every_answer_is_there(made: Study) -> None:
    asked = partial(SimpleNamespace, named=NAMES, attack="greedy-synonym", data=str(REVIEWS), n=40)
    assert whole(cast(Matrices, asked(keep=None)), made.places.folder)
    assert not whole(cast(Matrices, asked(keep=10)), made.places.folder)
    assert not whole(cast(Matrices, asked(keep=None)), made.places.folder / "elsewhere")
    made.twins.pop(NAMES[0])
    made.write()
    assert not whole(cast(Matrices, asked(keep=None)), made.places.folder)


def test_the_texts_that_turn_most_models_are_those_of_a_loop(made: Study) -> None:
    found, turned, everywhere = fool_most(made), [], 0
    for source in NAMES:
        texts = fooling_texts(made.places.run(source), None, 0)
        cells = [made.places.column(name).cells()[source] for name in NAMES]
        for number, gold in enumerate(texts.gold):
            wrong = [cell.after[number] != gold for cell in cells]
            right = [cell.before[number] == gold for cell in cells]
            everywhere += all(wrong)
            turned.append(int(np.logical_and(wrong, right).sum()))
    assert found["texts"] == len(turned)
    assert (found["fool all"], found["turn all"]) == (everywhere, turned.count(3))
    assert found["most"][0]["turned"] == max(turned)
    assert " → " in found["most"][0]["text"]


def test_what_a_language_model_leaves_out_is_counted() -> None:
    fetch_or_skip("wordnet")
    fetch_or_skip("counter-fitted")
    if at_hand("rotten_tomatoes") is None:
        pytest.skip("rotten_tomatoes is not at hand; name its folder in UNFOOL_DATA")
    found = left_out(Candidates("rotten_tomatoes", 5))
    for counted in found["sources"].values():
        assert 0 < counted["left out of a word, mean %"] < counted["left out %"] < 100
        assert counted["candidates"] > counted["words"]
