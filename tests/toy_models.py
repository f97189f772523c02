"""Tiny classifiers with random weights, saved as the hub saves models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import (
    AlbertConfig,
    AlbertForSequenceClassification,
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    RobertaConfig,
    RobertaForSequenceClassification,
)

from tests import toy_tokenizers

LABELS = {0: "negative", 1: "positive"}
_SIZES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "id2label": LABELS,
    "label2id": {name: number for number, name in LABELS.items()},
    # Large enough that words move the answer.
    "initializer_range": 0.8,
}


def save_bert(folder: Path, labels: int = 2, **more: Any) -> Path:
    """Save a tiny BERT with its tokenizer."""
    tokenizer = toy_tokenizers.wordpiece()
    torch.manual_seed(0)
    config = {**_SIZES, "max_position_embeddings": 47, "vocab_size": len(tokenizer), **more}
    if labels != len(LABELS):
        config |= {"id2label": {number: f"label {number}" for number in range(labels)}, "label2id": {}}
    return _save(BertForSequenceClassification(BertConfig(**config)), tokenizer, folder)


def save_masked(folder: Path, **more: Any) -> Path:
    """Save a tiny masked language model; its words are few, and letters are words, too."""
    tokenizer = toy_tokenizers.wordpiece()
    torch.manual_seed(3)
    config = {**_SIZES, "max_position_embeddings": 47, "vocab_size": len(tokenizer), **more}
    return _save(BertForMaskedLM(BertConfig(**config)), tokenizer, folder)


def save_roberta(folder: Path, **more: Any) -> Path:
    """Save a tiny RoBERTa: byte pairs, no token types, positions counted from behind the padding index."""
    tokenizer = toy_tokenizers.byte_bpe()
    torch.manual_seed(1)
    config = {
        **_SIZES,
        "max_position_embeddings": 43,
        "vocab_size": len(tokenizer),
        "type_vocab_size": 1,
        "pad_token_id": tokenizer.pad_token_id,
        **more,
    }
    return _save(RobertaForSequenceClassification(RobertaConfig(**config)), tokenizer, folder)


def save_albert(folder: Path, **more: Any) -> Path:
    """Save a tiny ALBERT: one layer's weights used in all, vectors smaller than states."""
    tokenizer = toy_tokenizers.wordpiece()
    torch.manual_seed(2)
    config = {**_SIZES, "max_position_embeddings": 47, "vocab_size": len(tokenizer), "embedding_size": 8, **more}
    return _save(AlbertForSequenceClassification(AlbertConfig(**config)), tokenizer, folder)


def _save(model: Any, tokenizer: Any, folder: Path) -> Path:
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
