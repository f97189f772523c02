from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from unfool import zoo
from unfool.errors import UserError
from unfool.text import Sample

Draw = Callable[[int, int], list[Sample]]
WriteSplit = Callable[[Path, int, int], None]


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write_split: WriteSplit) -> list[zoo.Named]:
    """A net and a Naive Bayes, trained into a cache of their own."""
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("UNFOOL_DATA", str(tmp_path / "data"))
    for seed, split in enumerate(("train", "validation", "test")):
        write_split(tmp_path / "data" / "tiny" / f"{split}.parquet", 64, seed)
    named = zoo.expand_all(["CNN-W-Random-1@tiny#1", "NB@tiny"])
    assert not [trained.error for trained in zoo.train_many(named, device="cpu", progress=False) if trained.error]
    return named


def test_packed_models_answer_as_before_on_a_machine_that_starts_empty(
    models: list[zoo.Named], tmp_path: Path, reviews: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [sample.text.strings for sample in reviews(9, 9)]

    def answers() -> list[np.ndarray]:
        return [zoo.victim(str(named), device="cpu").check(texts).result().values for named in models]

    before = answers()
    files = [sorted(path.name for path in named.folder.iterdir()) for named in models]
    reports = [named.report for named in models]
    sizes = [(named.folder / "model.safetensors").stat().st_size for named in models]
    parcel = tmp_path / "parcel.zip"
    assert list(zoo.pack(models, parcel)) == models
    with zipfile.ZipFile(parcel) as packed:
        net, bayes = (
            packed.getinfo(f"{str(named).removeprefix('zoo:')}/model.safetensors").file_size for named in models
        )
    assert net < 0.55 * sizes[0]
    assert bayes >= sizes[1], "what is not in single precision travels whole"
    assert list(zoo.unpack(parcel)) == [(named, False) for named in models], "what is there stays"
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "elsewhere"))
    assert list(zoo.unpack(parcel)) == [(named, True) for named in models]
    assert [sorted(path.name for path in named.folder.iterdir()) for named in models] == files
    assert [named.report for named in models] == reports
    assert [(named.folder / "model.safetensors").stat().st_size for named in models] == pytest.approx(sizes, abs=64)
    for old, new in zip(before, answers(), strict=True):
        np.testing.assert_allclose(new, old, atol=2e-3)


def test_only_trained_models_are_packed(models: list[zoo.Named], tmp_path: Path) -> None:
    asked = [*models, zoo.parse("CNN-W-Random-2@tiny")]
    with pytest.raises(UserError, match="CNN-W-Random-2@tiny is not trained yet"):
        list(zoo.pack(asked, tmp_path / "parcel.zip"))
    assert not (tmp_path / "parcel.zip").exists()


def test_a_file_that_cannot_be_written_is_told(models: list[zoo.Named], tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file, not a folder")
    with pytest.raises(UserError, match=r"taken/parcel\.zip cannot be written"):
        list(zoo.pack(models, tmp_path / "taken" / "parcel.zip"))


def test_a_folder_is_no_place_for_a_parcel(models: list[zoo.Named], tmp_path: Path) -> None:
    for folder in (tmp_path, Path(".")):
        with pytest.raises(UserError, match=r"is a folder; name the file to write, such as .*models\.zip"):
            list(zoo.pack(models, folder))


def test_a_parcel_that_is_not_whole_is_not_there(models: list[zoo.Named], tmp_path: Path) -> None:
    packing = zoo.pack(models, tmp_path / "parcel.zip")
    next(packing)
    packing.close()
    assert not list(tmp_path.glob("*parcel*"))


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("CNN-W-Random-1@tiny/run.py", "no part of a model"),
        ("loose.json", "no part of a model"),
        ("../../CNN-W-Random-1@tiny/config.json", "CNN-W-Random-1"),
        ("CNN-W-Random-1@tiny#5/model.safetensors", "no whole model"),
    ],
)
def test_a_stranger_s_parcel_leaves_the_cache_alone(
    name: str, match: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    with zipfile.ZipFile(tmp_path / "parcel.zip", "w") as parcel:
        parcel.writestr(name, "{}")
    with pytest.raises(UserError, match=match):
        list(zoo.unpack(tmp_path / "parcel.zip"))
    assert not zoo.trained()
    assert not list((tmp_path / "cache").rglob("*.json"))


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no parcel")
    for file in ("notes.txt", "missing.zip"):
        with pytest.raises(UserError, match=r"(notes.txt|missing.zip) cannot be unpacked"):
            list(zoo.unpack(tmp_path / file))
