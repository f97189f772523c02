"""BERT-NOPT of Hsieh et al. (2019): three layers of BERT-base that were never pretrained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from unfool import resources
from unfool.training import seeded

SIZES: Mapping[str, int] = {
    "num_hidden_layers": 3,
    "num_attention_heads": 12,
    "hidden_size": 768,
    "intermediate_size": 3072,
}


def folder(seed: int) -> Path:
    """Return a folder with fresh weights drawn from a seed, made in the cache on first use."""
    place = resources.cache_root() / f"bert-nopt-{seed}"
    return resources.build_once(place, lambda new: make(new, seed))


def make(target: Path, seed: int, sizes: Mapping[str, int] = SIZES) -> None:
    """Write an encoder nobody has trained, with the tokenizer of a trained one: MiniLM's, which is BERT's.

    Args:
        target: An empty folder.
        seed: Draws the weights.
        sizes: How large it is, in the words of transformers.
    """
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer = AutoTokenizer.from_pretrained(resources.get("minilm"), trust_remote_code=False)
    with seeded(seed):
        model = BertModel(BertConfig(vocab_size=len(tokenizer), **sizes))
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
