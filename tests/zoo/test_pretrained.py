"""The encoders that models of the zoo start from."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tests import toy_tokenizers
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
)

from unfool import resources
from unfool.errors import UserError
from unfool.zoo import pretrained

needs_granite = pytest.mark.skipif(not resources.is_present("granite"), reason="the resource granite is not cached")
needs_albert = pytest.mark.skipif(not resources.is_present("albert"), reason="unfool-weights is not installed")
needs_minilm = pytest.mark.skipif(not resources.is_present("minilm"), reason="the resource minilm is not cached")


def missing_keys(folder: Path) -> set[str]:
    _, told = AutoModelForSequenceClassification.from_pretrained(folder, output_loading_info=True)
    assert not told["unexpected_keys"]
    assert not told["mismatched_keys"]
    return set(told["missing_keys"])


@needs_granite
def test_granite_is_a_roberta_that_knows_what_sentences_mean() -> None:
    folder = pretrained.folder("roberta")
    assert missing_keys(folder) == {
        f"classifier.{layer}.{part}" for layer in ("dense", "out_proj") for part in ("weight", "bias")
    }
    tokenizer = AutoTokenizer.from_pretrained(folder)
    assert (tokenizer.pad_token_id, tokenizer.bos_token_id, tokenizer.eos_token_id) == (1, 0, 2)
    sentences = [
        "A man is playing a guitar.",
        "Someone plays the guitar.",
        "Shares fell sharply on Monday.",
        "The stock market dropped at the start of the week.",
    ]
    model = AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        states = model(**tokenizer(sentences, padding=True, return_tensors="pt")).last_hidden_state
    vectors = torch.nn.functional.normalize(states[:, 0], dim=1)
    alike = vectors @ vectors.T
    assert min(alike[0, 1], alike[2, 3]) > alike[:2, 2:].max() + 0.2


@pytest.fixture
def half_albert(tmp_path: Path) -> Path:
    """A tiny ALBERT in half precision, as the package carries one."""
    folder, tokenizer = tmp_path / "half", toy_tokenizers.wordpiece()
    config = AlbertConfig(
        vocab_size=len(tokenizer),
        embedding_size=8,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        max_position_embeddings=32,
    )
    AlbertForMaskedLM(config).half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_an_albert_in_half_precision_becomes_one_to_train(half_albert: Path, tmp_path: Path) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    pretrained.copy_lengthened(half_albert, folder)
    half, full = (load_file(place / "model.safetensors") for place in (half_albert, folder))
    assert all(full[name].dtype == torch.float32 and torch.equal(full[name].half(), half[name]) for name in half)
    model = AutoModelForMaskedLM.from_pretrained(folder)
    assert model.dtype == torch.float32
    _, told = AutoModelForSequenceClassification.from_pretrained(folder, output_loading_info=True)
    heads = ("albert.pooler", "classifier")
    assert set(told["missing_keys"]) == {f"{head}.{part}" for head in heads for part in ("weight", "bias")}


@needs_albert
def test_our_own_albert_is_small_and_guesses_hidden_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(file.stat().st_size for file in resources.path("albert").iterdir()) <= 8_000_000
    monkeypatch.setenv("UNFOOL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("UNFOOL_ALBERT", raising=False)
    folder = pretrained.folder("albert")
    assert pretrained.folder("albert") == folder
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()
    texts = ["this is one of the worst [MASK] i have ever seen .", "a man in a red [MASK] is riding a bike ."]
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.inference_mode():
        ranked = model(**batch).logits[batch["input_ids"] == tokenizer.mask_token_id].argsort(descending=True)
    first, second = (tokenizer.convert_ids_to_tokens(row[:5]) for row in ranked)
    assert {"movies", "films"} & set(first)
    assert {"shirt", "jacket", "hat", "helmet"} & set(second)


@needs_minilm
def test_bert_nopt_is_drawn_from_its_seed_and_reads_as_bert_does(tmp_path: Path) -> None:
    folders = {name: tmp_path / name for name in ("one", "two", "three")}
    for folder, seed in zip(folders.values(), (4, 4, 5), strict=True):
        folder.mkdir()
        pretrained.draw_bert(folder, seed, {**pretrained.NOPT_SIZES, "hidden_size": 24, "intermediate_size": 48})
    one, two, three = ((folder / "model.safetensors").read_bytes() for folder in folders.values())
    assert one == two != three
    assert missing_keys(folders["one"]) == {"classifier.weight", "classifier.bias"}
    tokenizer, known = (AutoTokenizer.from_pretrained(each) for each in (folders["one"], resources.get("minilm")))
    assert tokenizer("A fine film", "isn't it?")["input_ids"] == known("A fine film", "isn't it?")["input_ids"]


def test_bert_nopt_is_three_layers_of_bert_base() -> None:
    base = BertConfig().to_dict()
    assert BertConfig(**pretrained.NOPT_SIZES).to_dict() == {**base, "num_hidden_layers": 3}


def test_another_encoder_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "roberta-base"
    mine.mkdir()
    monkeypatch.setenv("UNFOOL_ROBERTA", str(mine))
    with pytest.raises(UserError, match=r"UNFOOL_ROBERTA=.*roberta-base holds no config\.json"):
        pretrained.folder("roberta")
    (mine / "config.json").write_text("{}")
    assert pretrained.folder("roberta") == mine
    assert pretrained.stand_in("roberta") == ""
    monkeypatch.setenv("UNFOOL_ALBERT", "someone/tiny-albert")
    assert pretrained.stand_in("albert") == "someone/tiny-albert stands in for albert-base-v2"


def test_a_hub_id_that_cannot_be_had_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("UNFOOL_BERT", "nobody/no-such-encoder")
    with pytest.raises(UserError, match=r"UNFOOL_BERT=nobody/no-such-encoder is no folder.+unset UNFOOL_BERT"):
        pretrained.folder("bert")


def test_what_stands_in_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("BERT", "ROBERTA", "ALBERT"):
        monkeypatch.delenv(f"UNFOOL_{kind}", raising=False)
    assert pretrained.stand_in("bert") == "all-MiniLM-L6-v2 stands in for bert-base-uncased"
    assert pretrained.stand_in("roberta") == "granite-embedding-30m-english stands in for roberta-base"
    assert pretrained.stand_in("albert") == "a small ALBERT pretrained for unfool stands in for albert-base-v2"
    with pytest.raises(UserError, match="did you mean 'roberta'"):
        pretrained.stand_in("robeta")  # type: ignore[arg-type]
