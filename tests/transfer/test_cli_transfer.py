"""``unfool transfer`` as its users meet it."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from tests.end_to_end.command import REVIEWS, Finished, unfool

from unfool.transfer import Cell, Study
from unfool.victims import open_victim

pytestmark = pytest.mark.usefixtures("wordnet")

REPOSITORY = Path(__file__).parents[2]
ONE, TWO, BROKEN = (f"py:tests.transfer.crowd:{name}" for name in ("one", "two", "broken"))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cli") / "study"


@pytest.fixture(scope="module")
def done(out: Path) -> Finished:
    more = ("--data", REVIEWS, "--attack", "greedy-synonym", "--out", out, "--quiet")
    return unfool("transfer", "--victims", ONE, BROKEN, TWO, *more, cwd=REPOSITORY)


def test_names_stand_behind_one_option_and_a_broken_one_is_told(done: Finished) -> None:
    assert done.code == 3
    assert "sends" in done.out
    assert "2 of 6 rates are there" in done.out
    first, last = done.err.splitlines()
    assert first.startswith(f"{BROKEN}: ")
    assert "out of order" in first
    assert last == "1 victim has no result, or not all; --resume tries again"


def test_labels_that_no_names_match_are_told(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("text,label\na good film,spam\na bad film,ham\n")
    more = ("--data", tmp_path / "data.csv", "--out", tmp_path / "study", "--quiet")
    done = unfool("transfer", "--victims", ONE, *more, cwd=REPOSITORY)
    theirs = list(open_victim(ONE).labels)[:2]
    taken = f"data ham → model {theirs[0]}, data spam → model {theirs[1]}"
    assert f"Labels of {tmp_path / 'data.csv'} and {ONE} matched in order: {taken}; name them" in done.out


def test_headings_are_whole_in_a_narrow_terminal(done: Finished) -> None:
    headings, *rows = done.out.splitlines()
    assert headings.split() == ["model", "accuracy", "fooled", "base", "sends", "receives", "corrected"]
    assert "96.7%" in rows[2]


@pytest.mark.usefixtures("done")
def test_show_tells_why_rates_are_missing(out: Path) -> None:
    shown = unfool("transfer", "show", out, cwd=REPOSITORY)
    assert shown.code == 0
    (told,) = (line for line in shown.out.splitlines() if line.startswith(f"{BROKEN}: "))
    assert "out of order" in told
    read = json.loads(unfool("transfer", "show", out, "--json", cwd=REPOSITORY).out)
    assert list(read["problems"]) == [BROKEN]


@pytest.mark.usefixtures("done")
def test_show_reads_and_draws(out: Path, tmp_path: Path) -> None:
    shown = unfool("transfer", "show", out, "--json", "--picture", tmp_path / "map.svg", cwd=REPOSITORY)
    assert (shown.code, shown.err) == (0, "")
    read = json.loads(shown.out)
    assert read["targets"] == [ONE, BROKEN, TWO]
    assert read["rates"] == json.loads((out / "matrix.json").read_text())["rates"]
    picture = ElementTree.parse(tmp_path / "map.svg").getroot()
    squares = [label for tag in picture.iter() if " → " in (label := tag.get("aria-label", ""))]
    assert len(squares) == 2
    assert squares[0].endswith(f" {100 * read['rates'][0][2][0]:.1f}%")


@pytest.mark.usefixtures("done")
def test_an_ensemble_is_chosen(out: Path) -> None:
    best = unfool("transfer", "ensemble", out, "--size", 2, "--how", "exhaustive", "--json", cwd=REPOSITORY)
    name = json.loads(best.out)["name"]
    assert name == f"ensemble:{ONE}+{TWO}"
    assert open_victim(name).labels == ("negative", "positive")
    unknown = unfool("transfer", "ensemble", out, "--how", "genetics", cwd=REPOSITORY)
    assert (unknown.code, unknown.err) == (2, "error: unknown way to choose: 'genetics'; did you mean 'genetic'?\n")


def test_an_ensemble_chosen_by_some_of_the_rates_is_told(tmp_path: Path) -> None:
    names = ["skops:a", "skops:b", "skops:c"]
    made = Study(tmp_path, {}, {"victims": names, "twins": {}, "sources": ()})
    made.write()
    made.places.cells.mkdir()
    for target in names:
        cells = [Cell(source, "", None, (0, 0), (0, 0), (1, 0)) for source in names if source != target]
        made.places.column(target).add(cells[1:] if target == "skops:c" else cells)
    chosen = unfool("transfer", "ensemble", tmp_path, "--size", 1, cwd=REPOSITORY)
    assert not chosen.out.startswith("skops:a\n")
    assert chosen.err == "1 rate is missing and counted as zero; resume the study first\n"


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    assert unfool("transfer", "--victims", ONE, cwd=tmp_path).err.startswith(
        "error: a study needs --victims, --data"
    )
    assert unfool("transfer", "show", tmp_path, cwd=tmp_path).err.startswith(f"error: {tmp_path} is not a study")
    (tmp_path / "study.json").write_text("{}")
    other = unfool("transfer", "show", tmp_path, cwd=tmp_path)
    told = f"error: {tmp_path / 'study.json'} does not describe a study; restore it, or give another folder\n"
    assert (other.code, other.err) == (2, told)


def test_classes_of_many_models_are_shown_by_either_rate(tmp_path: Path) -> None:
    names = [
        f"zoo:CNN-{reads}-{layers}@films"
        for reads in ("W-Random", "W-GloVe", "C-Random")
        for layers in (1, 2, 4, 6)
    ]
    made = Study(tmp_path, {}, {"victims": names, "twins": {}, "sources": ()})
    made.write()
    made.places.cells.mkdir()
    for target in names:
        # Of four texts, the target has one wrong anyway and is fooled by one more.
        cells = [Cell(source, "", None, (0,) * 4, (1, 0, 0, 0), (1, 1, 0, 0)) for source in names]
        made.places.column(target).add(cells)
    shown = [line.split() for line in unfool("transfer", "show", tmp_path, cwd=REPOSITORY).out.splitlines()]
    assert ["factor", "difference", "corrected", "pairs"] in shown
    assert ["input", "form", "–", "–", "0"] in shown  # without twins there are no base rates
    for name in ("Random", "GloVe", "Character", "CNN"):
        assert [name, "50.0%", "50.0%", "33.3%"] in shown
