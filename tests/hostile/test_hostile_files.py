"""Nothing a stranger hands us runs, hangs or fills the machine: one line and exit code 2, whatever it is."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.end_to_end.command import surroundings
from tests.hostile.makers import CASES, VADER, Case, Place
from tests.preloaded import Process
from tests.toy_models import save_bert

from unfool.engine import Outcome, Status, Verdict
from unfool.runs import Run

COMMAND = Path(__file__).with_name("measured.py")
MOST_MB = 1000
SECONDS = 60


def run(arguments: list[object], cwd: Path) -> tuple[int, str, str, int]:
    """Run a command; return its exit code, what it said, and its peak of memory in MB."""
    peak = cwd / "peak"
    environment = surroundings({"PEAK": str(peak), "UNFOOL_CACHE": str(cwd / "cache")})
    process = Process(COMMAND, [*map(str, arguments)], cwd, environment)
    out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out, err, int(peak.read_text())


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, a pipeline and a run that are as they should be."""
    import numpy as np
    import skops.io
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    place = tmp_path_factory.mktemp("good")
    save_bert(place / "model")
    texts, labels = ["a good film", "a bad film"] * 4, ["1", "0"] * 4
    pipeline = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, labels)
    pipeline.named_steps["countvectorizer"].tokenizer = np.polynomial.Polynomial
    skops.io.dump(pipeline, place / "pipeline.skops")
    with (place / "reviews.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *zip(texts, labels, strict=True)])
    sure, unsure = Verdict(1, 0.9), Verdict(0, 0.6)
    words = ("a good film",), ("a great film",)
    fooled = Outcome(0, 1, Status.SUCCESS, "", *words, sure, unsure, 9, 2, 3, 1, 11, 5, ("text",))
    settings = {"attack": "pwws", "victim": VADER, "data": "reviews.csv", "labels": ["0", "1"]}
    with Run.create(place / "run", {**settings, "data_labels": ["0", "1"], "victim_fingerprint": None}) as made:
        made.record(fooled)
        made.finish()
    return place


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_strangers_file_costs_a_line(case: Case, good: Path, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    place = Place(folder, tmp_path / "CANARY", good)
    code, _, err, peak = run(case.make(place), tmp_path)
    assert (code, len(err.splitlines())) == (2, 1), err
    assert err.startswith("error: ")
    assert case.said in err
    assert err.rstrip("\n").isprintable()
    assert peak < MOST_MB
    assert not place.canary.exists()
    assert not (folder / "out" / "config.json").exists()
    assert not list((tmp_path / "cache").rglob("config.json"))
