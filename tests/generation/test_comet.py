"""COMET by a local model; the scores need a Python with unbabel-comet, named by UNFOOL_COMET or in .venv-comet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.end_to_end.command import unfool

from unfool import attack
from unfool.errors import UserError
from unfool.generation import Triple, comet_scores
from unfool.runs import comet

pytest.importorskip("sacrebleu")
TRIPLES = [Triple("a film", "ein Film", "ein Film"), Triple("a film", "kein", "ein Film")]
PAIRS = [("the film is good", "der Film ist gut"), ("the movie is great", "der Streifen ist toll")]
MAKES_A_MODEL = """
import sys, pathlib, torch, yaml
import pytorch_lightning
from comet.models import RegressionMetric
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizerFast
folder = pathlib.Path(sys.argv[1])
encoder = folder / "encoder"
(folder / "checkpoints").mkdir(parents=True)
words = "<s> <pad> </s> <unk> the film movie is good great der Film Streifen ist gut toll".split()
known = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="<unk>"))
known.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = XLMRobertaTokenizerFast(tokenizer_object=known)
tokenizer.save_pretrained(encoder)
XLMRobertaModel(XLMRobertaConfig(
    vocab_size=len(tokenizer) + 2, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
    max_position_embeddings=64)).save_pretrained(encoder)
torch.manual_seed(0)
settings = dict(
    nr_frozen_epochs=0, keep_embeddings_frozen=False, optimizer="AdamW", encoder_learning_rate=1e-5,
    learning_rate=1e-5, layerwise_decay=0.95, encoder_model="XLM-RoBERTa", pretrained_model=str(encoder),
    pool="avg", layer="mix", layer_transformation="softmax", layer_norm=False, loss="mse", dropout=0.0,
    batch_size=2,
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


def german(texts: list[str]) -> list[str]:
    words = {"the": "der", "film": "Film", "movie": "Streifen", "is": "ist", "good": "gut", "great": "toll"}
    return [" ".join(words[word] for word in text.split() if word in words) for text in texts]


def by_comet_itself(python: Path, model: Path, triples: list[Triple]) -> list[float]:
    code = (
        "import sys, json; from comet import load_from_checkpoint as load\n"
        "m = load(sys.argv[1] + '/checkpoints/model.ckpt')\n"
        "t = [dict(zip(('src', 'mt', 'ref'), each)) for each in json.loads(sys.argv[2])]\n"
        "print(json.dumps([m.predict([each], gpus=0, progress_bar=False).scores[0] for each in t]))"
    )
    command = [str(python), "-c", code, str(model), json.dumps(triples)]
    told = subprocess.run(command, capture_output=True, text=True, check=True)
    scores: list[float] = json.loads(told.stdout.splitlines()[-1])
    return scores


def test_a_run_is_scored_before_and_after(model: Path, python: Path, tmp_path: Path) -> None:
    run = attack(german, PAIRS, "key", goal="degrade:drop=0.1", out=tmp_path / "run", progress=False)
    found = comet(run, model, python=python, device="cpu", allow_code=True)
    triples = [
        Triple(source, output, reference)
        for outcome, (source, reference) in zip(run.outcomes(), PAIRS, strict=True)
        for output in outcome.outputs or ()
    ]
    scores = [number for score in found.scores for number in (score.before, score.after)]
    assert scores == pytest.approx(by_comet_itself(python, model, triples), abs=1e-5)
    assert all(score.before != score.after for score in found.scores)
    assert found.before == pytest.approx(sum(scores[::2]) / 2)
    assert found.low <= found.difference <= found.high
    kept = json.loads((run.folder / "comet.json").read_bytes())
    assert kept["scores"] == [list(score) for score in found.scores]
    told = unfool(
        "comet", "run", "--model", str(model), "--python", str(python), "--allow-code", "--json", cwd=tmp_path
    )
    assert told.code == 0, told.err
    assert json.loads(told.out)["after"] == pytest.approx(found.after, abs=1e-5)


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
        with pytest.raises(UserError, match="cannot import unbabel-comet"):
            comet_scores([Triple("a", "b", None)], folder, allow_code=True)
