"""A net at several sizes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from unfool import zoo
from unfool.errors import UserError
from unfool.training import Accuracy, load_splits
from unfool_papers.analysis import Trial, sweep, sweep_figure

TEXTS = {
    "train": [("a good film", 1), ("a bad film", 0), ("good plot", 1), ("bad cast", 0), ("so good", 1)] * 6,
    "test": [("good cast", 1), ("bad plot", 0), ("a good one", 1), ("bad again", 0), ("no idea", 1)],
}


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UNFOOL_DATA", str(tmp_path / "data"))
    for split, rows in TEXTS.items():
        file = tmp_path / "data" / "tiny" / f"{split}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pa.table({"text": [text for text, _ in rows], "label": [n for _, n in rows]}), file)
    return tmp_path


def test_every_size_and_seed_is_trained_and_kept(tiny: Path) -> None:
    grid = {"units": [3, 5]}
    trials = sweep("LSTM-W-Random-1@tiny", grid, seeds=(0, 1), folder=tiny / "kept", device="cpu", progress=False)
    assert [(trial.sizes["units"], trial.seed) for trial in trials] == [(3, 0), (3, 1), (5, 0), (5, 1)]
    splits = load_splits("tiny")
    learnt = [(str(sample.text), sample.label) for sample in splits.train]
    assert splits.held_out
    for trial in trials:
        net = zoo.load(trial.folder, device="cpu")
        assert net.module.sizes["units"] == trial.sizes["units"]
        for reached, rows in ((trial.train, learnt), (trial.held_out, TEXTS["test"])):
            answers = net.confirm([(text,) for text, _ in rows]).values.argmax(axis=1)
            right = sum(int(answer == label) for answer, (_, label) in zip(answers, rows, strict=True))
            assert reached == Accuracy(right / len(rows), len(rows))


def test_what_is_kept_is_not_trained_again(tiny: Path) -> None:
    first = sweep("LSTM-W-Random-1@tiny", {"units": [3]}, folder=tiny / "kept", device="cpu", progress=False)
    written = (first[0].folder / "model.safetensors").stat().st_mtime_ns
    again = sweep("LSTM-W-Random-1@tiny", {"units": [3, 4]}, folder=tiny / "kept", device="cpu", progress=False)
    assert [trial.sizes["units"] for trial in again] == [3, 4]
    assert (again[0].folder / "model.safetensors").stat().st_mtime_ns == written
    assert again[0] == first[0]


def test_what_was_trained_before_the_data_changed_is_not_taken_for_it(tiny: Path) -> None:
    sweep("LSTM-W-Random-1@tiny", {"units": [3]}, folder=tiny / "kept", device="cpu", progress=False)
    turned = [(text, 1 - label) for text, label in TEXTS["train"]]
    table = pa.table({"text": [text for text, _ in turned], "label": [label for _, label in turned]})
    parquet.write_table(table, tiny / "data" / "tiny" / "train.parquet")
    with pytest.raises(UserError, match="units=3 was trained before tiny changed; delete it"):
        sweep("LSTM-W-Random-1@tiny", {"units": [3]}, folder=tiny / "kept", device="cpu", progress=False)


def test_unknown_sizes_and_models_without_any_are_refused(tiny: Path) -> None:
    with pytest.raises(UserError, match="has no size 'unit'; did you mean 'units'"):
        sweep("LSTM-W-Random-1@tiny", {"unit": [3]}, folder=tiny / "kept")
    with pytest.raises(UserError, match="NB has no sizes"):
        sweep("NB@tiny", {"units": [3]}, folder=tiny / "kept")
    with pytest.raises(UserError, match="are empty; give at least one"):
        sweep("LSTM-W-Random-1@tiny", {"units": []}, folder=tiny / "kept")


def trial(value: float, right: float, *, seed: int = 0, size: str = "dropout") -> Trial:
    return Trial({size: value}, seed, Accuracy(0.9, 20), Accuracy(right, 10), 4, 1.0, Path())


def test_the_figure_takes_seeds_together_and_shows_the_papers_numbers() -> None:
    trials = [trial(0.25, 0.8), trial(0.25, 0.6, seed=1), trial(0.5, 0.5)]
    figure = sweep_figure(trials, reported={0.25: 0.8221, 0.5: 0.8177})
    unseen = [row for row in figure.rows if row["texts"] == "texts it did not see"]
    assert [(row["dropout"], row["accuracy"], row["of"], row["nets"]) for row in unseen] == [
        (0.25, pytest.approx(0.7), 10, 2),
        (0.5, pytest.approx(0.5), 10, 1),
    ]
    said = [(row["dropout"], row["accuracy"]) for row in figure.rows if row["texts"].startswith("the paper")]
    assert said == [(0.25, 0.8221), (0.5, 0.8177)]


def test_seeds_that_read_the_same_texts_make_no_narrower_interval() -> None:
    one, two = (sweep_figure([trial(0.5, 0.7, seed=seed) for seed in range(nets)]) for nets in (1, 2))
    assert [(row["low"], row["high"]) for row in two.rows] == [(row["low"], row["high"]) for row in one.rows]


def test_a_figure_is_about_one_size() -> None:
    with pytest.raises(UserError, match=r"these runs vary \['dropout', 'units'\]"):
        sweep_figure([trial(0.5, 0.5), trial(32, 0.5, size="units")])
