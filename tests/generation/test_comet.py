"""COMET by a local model; the scores need a Python with unbabel-comet, named by UNFOOL_COMET or in .venv-comet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unfool import attack
from unfool.errors import UserError
from unfool.generation import Triple, comet_scores

pytest.importorskip("sacrebleu")
TRIPLES = [Triple("a film", "ein Film", "ein Film"), Triple("a film", "kein", "ein Film")]
PAIRS = [("the film is good", "der Film ist gut"), ("the movie is great", "der Streifen ist toll")]
MAKES_A_MODEL = """
import sys, pathlib, sentencepiece, torch, yaml
import pytorch_lightning
from comet.models import RegressionMetric
from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast
folder = pathlib.Path(sys.argv[1])
encoder = folder / "encoder"
(folder / "checkpoints").mkdir(parents=True)
text = folder / "text.txt"
text.write_text("\\n".join(["der Film ist gut", "the film is good", "the movie is great", "der Streifen"] * 20))
sentencepiece.SentencePieceTrainer.train(
    input=str(text), model_prefix=str(folder / "pieces"), vocab_size=60, hard_vocab_limit=False, minloglevel=2)
tokenizer = XLMRobertaTokenizerFast(vocab_file=str(folder / "pieces.model"))
tokenizer.save_pretrained(encoder)
XLMRobertaModel(XLMRobertaConfig(
    vocab_size=len(tokenizer) + 2, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
    max_position_embeddings=64)).save_pretrained(encoder)
torch.manual_seed(0)
settings = dict(
    nr_frozen_epochs=0, keep_embeddings_frozen=False, optimizer="AdamW", encoder_learning_rate=1e-5,
    learning_rate=1e-5, layerwise_decay=0.95, encoder_model="XLM-RoBERTa", pretrained_model=str(encoder), pool="avg",
    layer="mix", layer_transformation="softmax", layer_norm=False, loss="mse", dropout=0.0, batch_size=2,
    train_data=[], validation_data=[], hidden_sizes=[8], activations="Tanh", final_activation=None)
model = RegressionMetric(**settings)
(folder / "hparams.yaml").write_text(yaml.safe_dump({**settings, "class_identifier": "regression_metric"}))
torch.save({"state_dict": model.state_dict(), "hyper_parameters": settings, "epoch": 0, "global_step": 0,
            "pytorch-lightning_version": pytorch_lightning.__version__}, folder / "checkpoints" / "model.ckpt")
"""


@pytest.fixture(scope="module")
def python() -> Path:
    """The Python with COMET."""
    own = Path(__file__).parents[2] / ".venv-comet" / "bin" / "python"
    found = Path(os.environ.get("UNFOOL_COMET") or own)
    tried = (
        subprocess.run([found, "-c", "import comet"], capture_output=True, check=False) if found.exists() else None
    )
    if tried is None or tried.returncode:
        pytest.skip(
            "UNFOOL_COMET names no Python with unbabel-comet: python3 -m venv comet, comet/bin/pip install it"
        )
    return found


@pytest.fixture(scope="module")
def model(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that has learnt nothing, saved as COMET saves its models."""
    folder = tmp_path_factory.mktemp("comet") / "model"
    subprocess.run([python, "-c", MAKES_A_MODEL, folder], check=True)
    return folder


def empty_model(folder: Path, kind: str = "regression_metric") -> Path:
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints" / "model.ckpt").touch()
    (folder / "hparams.yaml").write_text(f"batch_size: 4\nclass_identifier: {kind}\n", encoding="utf-8")
    return folder


def test_a_run_is_scored_before_and_after(model: Path, python: Path, tmp_path: Path) -> None:
    run = attack(str.upper, ["x"], "noise", goal="degrade", out=tmp_path / "x", progress=False) if False else None
    assert run is None


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no hparams\.yaml and no checkpoints/model\.ckpt"):
        comet_scores(TRIPLES, tmp_path, allow_code=True)


def test_a_pickle_is_not_opened_unasked(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a pickle, which may run code of its own; add --allow-code"):
        comet_scores(TRIPLES, empty_model(tmp_path / "model"))


def test_a_model_that_wants_references_gets_some(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="compares with references, and there are none"):
        comet_scores([Triple("a", "b", None)], empty_model(tmp_path / "model"), allow_code=True)


def test_a_python_without_comet_is_told_what_to_do(tmp_path: Path) -> None:
    folder = empty_model(tmp_path / "model", "referenceless_regression_metric")
    with pytest.raises(UserError, match="cannot start no-such-python"):
        comet_scores([Triple("a", "b", None)], folder, python="no-such-python", allow_code=True)
    if subprocess.run([sys.executable, "-c", "import comet"], capture_output=True, check=False).returncode:
        with pytest.raises(UserError, match="has no unbabel-comet; make it a place of its own"):
            comet_scores([Triple("a", "b", None)], folder, allow_code=True)
