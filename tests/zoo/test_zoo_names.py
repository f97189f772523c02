from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from unfool import resources, zoo
from unfool.engine import Floats, Predictor
from unfool.errors import UserError
from unfool.text import Sample
from unfool.training import load_splits
from unfool.zoo import NetRecipe

Draw = Callable[[int, int], list[Sample]]
WriteSplit = Callable[[Path, int, int], None]


def answers(victim: Predictor, texts: list[str]) -> Floats:
    return victim.check([(text,) for text in texts]).result().values


@pytest.fixture
def at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with only the word vectors in it, and a data set with splits."""
    if not resources.is_present("glove-840b-300d"):
        pytest.skip("the GloVe vectors are not in the cache: unfool resources get glove-840b-300d")
    cache = tmp_path / "cache"
    cache.mkdir()
    for kept in resources.cache_root().glob("glove-840b-300d-*"):
        (cache / kept.name).symlink_to(kept)
    monkeypatch.setenv("UNFOOL_CACHE", str(cache))
    monkeypatch.setenv("UNFOOL_DATA", str(tmp_path / "data"))
    return cache / "zoo"


def test_a_name_is_trained_once_and_kept(
    at_hand: Path, tmp_path: Path, reviews: Draw, write_split: WriteSplit
) -> None:
    for seed, split in enumerate(("train", "validation", "test")):
        write_split(tmp_path / "data" / "tiny" / f"{split}.parquet", 64, seed)
    first = zoo.victim("zoo:CNN-W-GloVe-1@tiny", device="cpu", progress=False)
    (kept,) = (path for path in at_hand.iterdir() if path.is_dir())
    described = json.loads((kept / "config.json").read_text())
    assert described["training"]["test"] == {"share": pytest.approx(1, abs=0.1), "n": 64}
    written = kept.stat().st_mtime_ns
    again = zoo.victim(repr(first), device="cpu", progress=False)
    assert kept.stat().st_mtime_ns == written
    assert repr(first) == repr(again) == "zoo:CNN-W-GloVe-1@tiny"
    texts = [str(sample.text) for sample in reviews(9, 9)]
    np.testing.assert_array_equal(answers(first, texts), answers(again, texts))
    other = zoo.victim("zoo:CNN-W-GloVe-1@tiny#1", device="cpu", progress=False)
    assert repr(other) == "zoo:CNN-W-GloVe-1@tiny#1"
    assert np.abs(answers(first, texts) - answers(other, texts)).max() > 0


def test_without_a_validation_split_some_training_samples_are_held_out(
    at_hand: Path, tmp_path: Path, write_split: WriteSplit
) -> None:
    write_split(tmp_path / "data" / "tiny" / "train.parquet", 50, 0)
    zoo.victim("CNN-W-GloVe-1@tiny", device="cpu", progress=False)
    (kept,) = (path for path in at_hand.iterdir() if path.is_dir())
    training = json.loads((kept / "config.json").read_text())["training"]
    assert training["validation"]["n"] == 5
    assert "test" not in training


@pytest.mark.parametrize(
    ("labels", "held_out"),
    [
        ([0, 1] * 20, [0, 1, 20, 21]),  # every tenth row has the same label
        ([0, 0, 1] * 10, [0, 10, 20]),  # every tenth row will do
        ([0, 1], [0]),
    ],
)
def test_what_is_held_out_lacks_no_label(labels: list[int], held_out: list[int], tmp_path: Path) -> None:
    rows = [f"text {number},{label}" for number, label in enumerate(labels)]
    (tmp_path / "mine.csv").write_text("\n".join(["text,label", *rows, ""]))
    splits = load_splits(str(tmp_path / "mine.csv"))
    texts = [[str(sample.text) for sample in some] for some in (splits.train, splits.validation)]
    assert texts[1] == [f"text {number}" for number in held_out]
    assert texts[0] == [f"text {number}" for number in range(len(labels)) if number not in held_out]


@pytest.mark.parametrize(("most_texts", "rates"), [(1_000, [1.0]), (60, [1.0, 5 / 6])])
def test_where_texts_are_many_all_of_a_few_epochs_are_done_and_the_rate_falls(
    most_texts: int,
    rates: list[float],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write_split: WriteSplit,
) -> None:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UNFOOL_DATA", str(tmp_path / "data"))
    write_split(tmp_path / "data" / "tiny" / "train.parquet", 30, 0)
    entry = zoo.CATALOGUE["CNN-W-Random-1"]
    assert isinstance(entry.recipe, NetRecipe)
    recipe = entry.recipe._replace(most_texts=most_texts, patience=1)
    seen: list[float] = []
    step = torch.optim.Adam.step

    def watched(self: torch.optim.Adam, *given: Any) -> Any:
        seen.append(self.param_groups[0]["lr"] / recipe.lr)
        return step(self, *given)

    monkeypatch.setattr(torch.optim.Adam, "step", watched)
    (tmp_path / "net").mkdir()
    named = zoo.parse("CNN-W-Random-1@tiny")
    zoo.train_net(recipe, named, tmp_path / "net", "cpu", False, zoo.DatasetCache())
    assert sorted(set(seen), reverse=True) == pytest.approx(rates)
    assert len(seen) == 3 if most_texts == 60 else len(seen) < recipe.epochs


def test_one_sample_is_too_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    (tmp_path / "one.csv").write_text("text,label\ngood film,1\n")
    with pytest.raises(UserError, match=r"one\.csv has 1 samples, of which none is left to train on"):
        zoo.victim(f"zoo:CNN-W-Random-1@{tmp_path / 'one.csv'}", device="cpu", progress=False)


def test_files_of_the_same_name_are_not_mistaken(
    at_hand: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_split: WriteSplit
) -> None:
    for seed, place in enumerate(("one", "two")):
        write_split(tmp_path / place / "here" / "train.parquet", 40, seed)
        monkeypatch.chdir(tmp_path / place)
        zoo.victim("CNN-W-GloVe-1@here", device="cpu", progress=False)
    assert sum(path.is_dir() for path in at_hand.iterdir()) == 2


@pytest.mark.parametrize("data", ["file", "folder of splits", "set by name"])
def test_a_model_is_not_taken_for_one_of_changed_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_split: WriteSplit, data: str
) -> None:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UNFOOL_DATA", str(tmp_path / "data"))
    place = tmp_path / "data" / "tiny"
    file = place / ("all.parquet" if data == "file" else "train.parquet")
    name = f"CNN-W-Random-1@{'tiny' if data == 'set by name' else file if data == 'file' else place}"
    write_split(file, 30, 0)
    first = zoo.victim(name, device="cpu", progress=False)
    write_split(file, 30, 1)
    with pytest.raises(UserError, match=rf"{name} was trained before .* changed; delete .*cache/zoo/CNN-W"):
        zoo.victim(name, device="cpu", progress=False)
    (refused,) = zoo.train_many([zoo.parse(name)], device="cpu", progress=False)
    assert "changed" in (refused.error or "")
    write_split(file, 30, 0)
    again = zoo.victim(name, device="cpu", progress=False)
    np.testing.assert_array_equal(answers(first, ["a fine film"]), answers(again, ["a fine film"]))
    shutil.rmtree(tmp_path / "data")
    if data == "set by name":  # it may come from a machine where the data are
        assert repr(zoo.victim(name, device="cpu", progress=False)) == f"zoo:{name}"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("zoo:CNN-W-Glove-1@mr", "did you mean 'CNN-W-GloVe-1'"),
        ("zoo:xyz", "there is ALBERT, BERT"),
        ("zoo:CNN-W-GloVe-1", "such as zoo:CNN-W-GloVe-1@rotten_tomatoes"),
    ],
)
def test_unknown_names_say_what_there_is(name: str, told: str) -> None:
    with pytest.raises(UserError, match=told):
        zoo.victim(name)


def test_names() -> None:
    assert len(zoo.CATALOGUE) == 78
    numbers = [entry.number for entry in zoo.CATALOGUE.values() if entry.number]
    assert numbers == list(range(1, 64))
    by_number = {entry.number: name for name, entry in zoo.CATALOGUE.items()}
    # The order of the paper's appendix: depth outside, the six inputs inside.
    assert [by_number[number] for number in (1, 6, 7, 18, 19, 37, 60, 61, 62, 63)] == [
        "LSTM-W-Random-1",
        "LSTM-WC-ELMo-1",
        "LSTM-W-Random-2",
        "LSTM-WC-ELMo-4",
        "BiLSTM-W-Random-1",
        "CNN-W-Random-1",
        "CNN-WC-ELMo-6",
        "BERT",
        "RoBERTa",
        "ALBERT",
    ]
