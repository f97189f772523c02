"""Several models at once: together or one by one, they come out the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from unfool import zoo
from unfool.training import Splits, load_splits
from unfool.zoo import data_cache

WriteSplit = Callable[[Path, int, int], None]
NAMES = ("CNN-C-Random-1@tiny", "LSTM-C-Random-1@tiny", "CNN-W-Random-1@tiny")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_split: WriteSplit) -> Path:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UNFOOL_DATA", str(tmp_path / "data"))
    for seed, split in enumerate(("train", "test")):
        write_split(tmp_path / "data" / "tiny" / f"{split}.parquet", 64, seed)
    return tmp_path


def weights(name: str) -> bytes:
    return (zoo.parse(name).folder / "model.safetensors").read_bytes()


def test_models_trained_together_are_those_trained_alone(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def noted(name: str) -> Splits:
        read.append(name)
        return load_splits(name)

    monkeypatch.setattr(data_cache, "load_splits", noted)
    chosen = [zoo.parse(name) for name in NAMES]
    assert all(trained.report for trained in zoo.train_many(chosen, device="cpu", progress=False))
    assert read == ["tiny"], "the data set is read once for all of them"
    together = [weights(name) for name in NAMES]
    for name in NAMES:
        monkeypatch.setenv("UNFOOL_CACHE", str(tiny / name))
        zoo.victim(name, device="cpu", progress=False)
        assert weights(name) == together[NAMES.index(name)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_cannot_be_trained_does_not_keep_the_others_from_it(tiny: Path, workers: int) -> None:
    chosen = [zoo.parse("CNN-C-Random-1@nowhere"), zoo.parse(NAMES[0])]
    lost, made = sorted(
        zoo.train_many(chosen, workers=workers, device="cpu", progress=False),
        key=lambda trained: trained.error is None,
    )
    assert lost.report is None
    assert "nowhere" in (lost.error or "")
    assert made.report
    assert made.report.test
    assert made.report.test.n == 64


@pytest.mark.parametrize("workers", [1, 2])
def test_a_fault_nobody_thought_of_costs_one_model(tiny: Path, workers: int) -> None:
    chosen = [zoo.parse(name) for name in NAMES[::2]]
    chosen[0].folder.parent.mkdir(parents=True)
    chosen[0].folder.write_text("a file where a folder should be")
    found = {each.named: each for each in zoo.train_many(chosen, workers=workers, device="cpu", progress=False)}
    assert "NotADirectoryError" in (found[chosen[0]].error or "")
    assert found[chosen[1]].report


def test_a_model_for_which_memory_does_not_suffice_leaves_the_others_alone(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def full(*args: object, **settings: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch.optim.Adam, "step", full)
    (told,) = zoo.train_many([zoo.parse("CNN-W-Random-1@tiny")], device="cpu", progress=False)
    assert told.error == "the GPU's memory is full; use fewer workers"
