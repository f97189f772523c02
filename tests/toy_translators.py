"""Tiny encoder–decoders with random weights, saved as the hub saves translators."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from tokenizers import decoders
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    M2M100Config,
    M2M100ForConditionalGeneration,
    MarianConfig,
    MarianMTModel,
    MarianTokenizer,
    NllbTokenizer,
    T5Config,
    T5ForConditionalGeneration,
)

from tests import toy_tokenizers

_SIZES: dict[str, Any] = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": 64,
    "scale_embedding": True,
    "tie_word_embeddings": False,
}
_WIDER, _WIDE = 3.0, 0.5
"""How much wider weights are than they come, and vectors that come wide narrower: else a model repeats itself."""


def save_marian(folder: Path, **more: Any) -> Path:
    """Save a tiny Marian with its SentencePiece models: it may not say padding, which it also begins with."""
    import sentencepiece

    folder.mkdir(parents=True)
    text = folder / "text.txt"
    text.write_text("\n".join([*toy_tokenizers.SENTENCES, *toy_tokenizers.WORDS] * 3), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(folder / "source"), vocab_size=70, hard_vocab_limit=False,
        model_type="bpe", minloglevel=2,
    )  # fmt: skip
    (folder / "source.model").rename(folder / "source.spm")
    (folder / "target.spm").write_bytes((folder / "source.spm").read_bytes())
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "source.spm"))
    names = [pieces.id_to_piece(number) for number in range(3, len(pieces))]
    vocabulary = {name: number for number, name in enumerate(["</s>", "<unk>", *names, "<pad>"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    for name in ("text.txt", "source.vocab"):
        (folder / name).unlink()
    tokenizer = MarianTokenizer(
        str(folder / "source.spm"), str(folder / "target.spm"), str(folder / "vocab.json"), model_max_length=60
    )
    pad = vocabulary["<pad>"]
    config = MarianConfig(
        **{**_SIZES, "vocab_size": len(vocabulary), "pad_token_id": pad, "eos_token_id": 0,
           "decoder_start_token_id": pad, "forced_eos_token_id": 0, **more}
    )  # fmt: skip
    model = _wide(MarianMTModel(config))
    model.generation_config.bad_words_ids = [[pad]]
    return _save(model, tokenizer, folder)


def save_t5(folder: Path, **more: Any) -> Path:
    """Save a tiny T5."""
    tokenizer = toy_tokenizers.unigram()
    tokenizer.backend_tokenizer.decoder = decoders.Metaspace()
    config = T5Config(
        vocab_size=len(tokenizer), d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
        decoder_start_token_id=1, pad_token_id=1, eos_token_id=2, tie_word_embeddings=False, **more,
    )  # fmt: skip
    return _save(_wide(T5ForConditionalGeneration(config)), tokenizer, folder)


def save_bart(folder: Path, **more: Any) -> Path:
    """Save a tiny BART, which begins with one token and must say another first and last."""
    tokenizer = toy_tokenizers.byte_bpe()
    config = BartConfig(
        **{**_SIZES, "vocab_size": len(tokenizer), "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2,
           "decoder_start_token_id": 2, "forced_bos_token_id": 0, "forced_eos_token_id": 2, **more}
    )  # fmt: skip
    return _save(_wide(BartForConditionalGeneration(config)), tokenizer, folder)


def save_nllb(folder: Path, **more: Any) -> Path:
    """Save a tiny NLLB, which reads and says a token for the language first."""
    letters = ["<s>", "<pad>", "</s>", "<unk>", "▁", *"abcdefghijklmnopqrstuvwxyz,'?-", "▁f", "▁th", "il"]
    vocabulary = {piece: number for number, piece in enumerate(letters)}
    merges = [("▁", "f"), ("i", "l")]
    languages = ["eng_Latn", "deu_Latn", "fra_Latn"]
    tokenizer = NllbTokenizer(
        vocab=vocabulary, merges=merges, additional_special_tokens=languages, model_max_length=60
    )
    config = M2M100Config(
        **{**_SIZES, "vocab_size": len(tokenizer), "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2,
           "decoder_start_token_id": 2, **more}
    )  # fmt: skip
    model = _wide(M2M100ForConditionalGeneration(config))
    # Where it said padding, its positions without a cache would not be those with one.
    model.generation_config.bad_words_ids = [[1]]
    return _save(model, tokenizer, folder)


SAVE: dict[str, Callable[..., Path]] = {
    "marian": save_marian,
    "t5": save_t5,
    "bart": save_bart,
    "nllb": save_nllb,
}
LANGUAGES = {"nllb": "source=eng_Latn,target=fra_Latn"}
"""What stands behind the name of those that want to be told."""


def name_of(shape: str, folder: Path, *settings: str) -> str:
    """Return the name that opens a saved toy."""
    given = ",".join(filter(None, [LANGUAGES.get(shape, ""), *settings]))
    return f"hf-seq2seq:{folder}" + (f"#{given}" if given else "")


def _wide(model: Any) -> Any:
    torch.manual_seed(3)
    model = type(model)(model.config)
    for weight in model.parameters():
        if weight.dim() > 1:
            weight.data.mul_(_WIDER if weight.std() < _WIDE else 1 / _WIDER)
    return model.eval()


def _save(model: Any, tokenizer: Any, folder: Path) -> Path:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
