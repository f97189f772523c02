"""Victims that answer alike on every machine, and are never undecided between two labels."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from math import exp, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tests.golden.texts import LABELS, WORDS

Rows = list[list[float]]
Weights = Callable[[str, Sequence[int]], NDArray[np.float32]]

labels = LABELS


def bag(number: int, names: Sequence[str] = LABELS) -> Callable[[Sequence[str | tuple[str, str]]], Rows]:
    """Return a function that adds up a weight a word and label, made of the letters of the word.

    Functions of different numbers agree about most texts, and differ in the words they go by.
    """

    def answer(texts: Sequence[str | tuple[str, str]]) -> Rows:
        return [_probabilities(text, number, names) for text in texts]

    answer.labels = tuple(names)  # type: ignore[attr-defined]
    return answer


def _probabilities(text: str | tuple[str, str], number: int, names: Sequence[str]) -> list[float]:
    words = (text if isinstance(text, str) else " ".join(text)).lower().split()
    powers = [
        exp(sum(_weight(word, name) + 0.8 * _weight(word, f"{name} {number}") for word in words)) for name in names
    ]
    # Rounded, so that the last bits of a machine's arithmetic are nobody's business.
    rounded = [round(power / sum(powers), 6) for power in powers]
    best, second = sorted(rounded)[:-3:-1]
    if words and best - second < 1e-4:
        raise ValueError(f"a golden victim is undecided about {text!r}; give it another number")
    return rounded


@cache
def _weight(word: str, salt: str) -> float:
    return int.from_bytes(sha256(f"{salt}: {word}".encode()).digest()[:4]) / 2**31 - 1


one, two, three = (bag(number) for number in (1, 2, 3))
turned = bag(1, LABELS[::-1])
moods = bag(4, ("sad", "calm", "glad"))


def even_weights(salt: int, wide: float, name: str, shape: Sequence[int]) -> NDArray[np.float32]:
    """Return the weights of a layer, evenly spread, made of its name and a number.

    Args:
        salt: Another number gives other weights.
        wide: How far they spread; 1 for a net to train, more for one that a word may turn.
        name: The name of the layer.
        shape: Its shape.
    """
    if "LayerNorm" in name:
        return np.full(shape, 1.0 if name.endswith("weight") else 0.0, dtype=np.float32)
    # NumPy keeps this generator's numbers as they are for good.
    drawn = np.random.RandomState(zlib.crc32(f"{name} {salt}".encode())).uniform(-1, 1, shape)
    is_table = "embedding" in name or "table" in name
    return np.asarray(drawn * (0.2 if len(shape) == 1 else 1.5 if is_table else wide / sqrt(shape[-1])), np.float32)


def save_bert(folder: Path, weights: Weights) -> None:
    """Save a tiny BERT that knows the words of the texts, as the hub saves models."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    letters = [*map(chr, range(33, 127))]
    pieces = [
        *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
        *(*letters, *("##" + letter for letter in letters), *WORDS),
    ]
    (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(pieces)) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"))
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=24,
            max_position_embeddings=96,
            id2label=dict(enumerate(LABELS)),
            label2id={name: number for number, name in enumerate(LABELS)},
        )
    )
    with torch.no_grad():
        for name, values in model.named_parameters():
            values.copy_(torch.from_numpy(weights(name, values.shape)))
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
