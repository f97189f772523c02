from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from unfool import zoo
from unfool.errors import UserError
from unfool.zoo.nets.net import Net

TEXTS = ["the film is good", "", "awful [UNK] plot"]


@pytest.fixture
def folder(tmp_path: Path, net: Net, vocabulary: zoo.WordVocabulary) -> Path:
    place = tmp_path / "net"
    zoo.save(place, net, vocabulary, ("neg", "pos"), {"data": "tiny", "seed": 0})
    return place


def test_a_loaded_net_predicts_the_same(folder: Path, victim: zoo.NetVictim) -> None:
    loaded = zoo.load(folder, device="cpu")
    expected = victim.confirm([(text,) for text in TEXTS]).values
    np.testing.assert_array_equal(loaded.confirm([(text,) for text in TEXTS]).values, expected)
    assert loaded.labels == victim.labels
    assert repr(loaded) == f"zoo:{folder}"
    again = zoo.victim(repr(loaded), device="cpu")
    assert isinstance(again, zoo.NetVictim)
    np.testing.assert_array_equal(again.confirm([(text,) for text in TEXTS]).values, expected)


def test_the_description_tells_the_training(folder: Path, kind: str) -> None:
    described = json.loads((folder / "config.json").read_text())
    assert (described["net"], described["training"]) == (kind, {"data": "tiny", "seed": 0})


def test_loading_leaves_the_callers_random_numbers_alone(folder: Path) -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    zoo.load(folder, device="cpu")
    assert torch.equal(torch.rand(2), expected)


@pytest.mark.parametrize("name", ["model.safetensors", "vocabulary.json", "config.json"])
def test_a_half_written_folder_is_refused(folder: Path, name: str, tmp_path: Path) -> None:
    content = (folder / name).read_bytes()
    for kept in (None, 0, 10, len(content) // 2, len(content) - 2):
        half = tmp_path / f"half-{kept}"
        shutil.copytree(folder, half)
        if kept is None:
            (half / name).unlink()
            with pytest.raises(UserError, match=f"{name} is missing"):
                zoo.load(half)
        else:
            (half / name).write_bytes(content[:kept])
            with pytest.raises(UserError, match="is damaged"):
                zoo.load(half)


def test_a_vocabulary_of_another_net_is_refused(folder: Path) -> None:
    (folder / "vocabulary.json").write_text(json.dumps(zoo.WordVocabulary(["film"]).to_json()))
    with pytest.raises(UserError, match="3 tokens, but 22 vectors"):
        zoo.load(folder)


def test_a_save_that_fails_leaves_nothing(tmp_path: Path, net: Net, vocabulary: zoo.WordVocabulary) -> None:
    with pytest.raises(TypeError):
        zoo.save(tmp_path / "net", net, vocabulary, ("neg", "pos"), {"seed": object()})
    assert not (tmp_path / "net").exists()
    assert not list(tmp_path.glob("**/model.safetensors"))


def test_nothing_is_overwritten(folder: Path, net: Net, vocabulary: zoo.WordVocabulary) -> None:
    with pytest.raises(UserError, match="is there already"):
        zoo.save(folder, net, vocabulary, ("neg", "pos"), {})
