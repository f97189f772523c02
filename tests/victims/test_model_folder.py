"""Model folders of strangers: their code runs where it is allowed, and nowhere else."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from tests.toy_models import save_bert

from unfool.errors import UserError
from unfool.training import classifier
from unfool.victims import Options, Transformer, open_victim

CODE = """
open({canary!r}, "w").close()
from transformers import BertConfig, BertForSequenceClassification


class OwnConfig(BertConfig):
    model_type = "own"


class OwnModel(BertForSequenceClassification):
    config_class = OwnConfig
"""


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    return tmp_path / "CANARY"


@pytest.fixture
def folder(tmp_path: Path, canary: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model that only its own code can open, and somebody at the keyboard who says yes to all."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 9))
    folder = save_bert(tmp_path / "model")
    (folder / "own.py").write_text(CODE.format(canary=str(canary)))
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "architectures": ["OwnModel"]}
    config["auto_map"] = {"AutoConfig": "own.OwnConfig", "AutoModelForSequenceClassification": "own.OwnModel"}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.parametrize("prefix", ["hf:", ""])
def test_a_models_own_code_is_not_run(folder: Path, canary: Path, prefix: str) -> None:
    with pytest.raises(UserError, match=r"code of its own \(own.py\).*unless you add --allow-code"):
        open_victim(f"{prefix}{folder}", Options(device="cpu"))
    assert not canary.exists()


def test_nor_is_it_to_be_trained_further(folder: Path, canary: Path) -> None:
    with pytest.raises(UserError, match=r"code of its own \(own.py\)"):
        classifier(str(folder), ("no", "yes"))
    assert not canary.exists()


def test_where_it_is_allowed_the_model_answers(folder: Path, canary: Path, tmp_path: Path) -> None:
    victim = open_victim(f"hf:{folder}", Options(device="cpu", allow_code=True))
    assert canary.exists()
    plain = Transformer(str(save_bert(tmp_path / "plain")), device="cpu")
    texts = [("a fine film",)]
    assert victim.check(texts).result().values.tolist() == plain.check(texts).result().values.tolist()
