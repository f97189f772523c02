from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tests import toy_models

from unfool import zoo
from unfool.devices import torch_device
from unfool.errors import UserError
from unfool.resources import build_once
from unfool.text import Sample
from unfool.training import TrainingReport, finetune, load_splits
from unfool.victims import Transformer

Draw = Callable[[int, int], list[Sample]]


@pytest.fixture
def encoder(tmp_path: Path, vocabulary: zoo.WordVocabulary) -> Path:
    """A BERT of one thin layer that knows the reviews' words."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder = tmp_path / "encoder"
    folder.mkdir()
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *vocabulary.words]
    (folder / "vocab.txt").write_text("\n".join(tokens))
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=32).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(tokens),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture
def data(tmp_path: Path, write_split: Callable[[Path, int, int], None]) -> str:
    for seed, split in enumerate(("train", "validation", "test")):
        write_split(tmp_path / "data" / f"{split}.parquet", 120, seed)
    return str(tmp_path / "data")


def tune(encoder: Path, data: str, out: Path, *, epochs: int = 1, seed: int = 0) -> TrainingReport:
    def write(folder: Path) -> None:
        splits, cpu = load_splits(data), torch_device("cpu")
        finetune(folder, encoder, splits, cpu, False, data_name=data, epochs=epochs, lr=1e-2, batch=16, seed=seed)

    report = TrainingReport.read(build_once(out, write))
    assert report
    return report


def test_a_fine_tuned_encoder_is_an_ordinary_victim(
    encoder: Path, data: str, tmp_path: Path, reviews: Draw
) -> None:
    report = tune(encoder, data, tmp_path / "tuned", epochs=10)
    victim = Transformer(str(tmp_path / "tuned"), device="cpu")
    assert victim.labels == ("neg", "pos")
    test = reviews(120, 2)
    answers = victim.confirm([sample.text.strings for sample in test]).values
    right = np.mean(answers.argmax(1) == [sample.label for sample in test])
    assert report.test
    assert report.test.share == pytest.approx(right)
    assert report.test.n == 120
    assert right > 0.9
    assert json.loads((tmp_path / "tuned" / "training.json").read_text()) == report.to_json()


def test_the_same_seed_gives_the_same_classifier(encoder: Path, data: str, tmp_path: Path) -> None:
    for name, seed in (("one", 4), ("two", 4), ("three", 5)):
        tune(encoder, data, tmp_path / name, seed=seed)
    one, two, three = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three


def test_nothing_half_done_is_kept(encoder: Path, data: str, tmp_path: Path) -> None:
    (encoder / "config.json").write_text("{}")
    with pytest.raises(UserError, match="cannot read the encoder"):
        tune(encoder, data, tmp_path / "tuned")
    assert not list(tmp_path.glob("**/training.json"))
    assert not (tmp_path / "tuned").exists()


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    """Pairs of a good word and a bad one, some too long: what counts is which of the texts says the good one."""
    drawn = random.Random(0)
    for split in ("train", "validation", "test"):
        columns: dict[str, list[Any]] = {"premise": [], "hypothesis": [], "label": []}
        for number in range(120):
            words = [drawn.choice(("good", "fine", "great")), drawn.choice(("bad", "awful", "dull"))]
            words = [" ".join([word] * (1 if number % 20 else 60)) for word in words]
            for name, value in zip(columns, (*words[:: 1 - 2 * (number % 2)], number % 2), strict=True):
                columns[name].append(value)
        file = tmp_path / "pairs" / f"{split}.parquet"
        file.parent.mkdir(exist_ok=True)
        parquet.write_table(pa.table(columns), file)
    return str(tmp_path / "pairs")


@pytest.mark.parametrize(
    "save",
    [toy_models.save_bert, partial(toy_models.save_bert, type_vocab_size=1), toy_models.save_roberta],
    ids=["two token types", "one token type", "none told"],
)
def test_pairs_are_told_apart_by_both_texts_whatever_the_encoder_takes(
    save: Callable[..., Path], pairs: str, tmp_path: Path
) -> None:
    encoder = save(tmp_path / "encoder", initializer_range=0.05)
    report = tune(encoder, pairs, tmp_path / "tuned", epochs=20)
    assert report.test
    assert report.test.share > 0.9
    victim = Transformer(str(tmp_path / "tuned"), device="cpu")
    answers = victim.confirm([("great", "dull"), ("dull", "great")]).values
    assert answers.argmax(1).tolist() == [0, 1]
