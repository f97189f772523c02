"""Small granite files, whole or damaged."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from tests.toy_tokenizers import byte_bpe
from tokenizers import AddedToken

HIDDEN, INNER, GROUP, POSITIONS, TYPES = 8, 16, 4, 12, 2


def tokenizer_text() -> str:
    tokenizer = byte_bpe().backend_tokenizer
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, special=True)])
    return str(tokenizer.to_str())


class GraniteFileMaker:
    """Collects what a granite file holds; change its parts to damage it, then ask for the bytes."""

    def __init__(self, layers: int = 2) -> None:
        self.tokenizer = tokenizer_text()
        self.generator = np.random.default_rng(0)
        self.rows: list[dict[str, Any]] = []
        self.contents: list[bytes] = []
        self.floats: dict[str, Any] = {}
        vocabulary = json.loads(self.tokenizer)
        words = max([*vocabulary["model"]["vocab"].values(), *(t["id"] for t in vocabulary["added_tokens"])]) + 1
        self.sizes: dict[str, Any] = {
            "vocab": words,
            "hidden": HIDDEN,
            "layers": layers,
            "heads": 2,
            "intermediate": INNER,
            "max_positions": POSITIONS,
            "type_vocab": TYPES,
            "layer_norm_eps": 1e-12,
        }
        self.add("word_emb", words, HIDDEN, small=True)
        self.add("pos_emb", POSITIONS, HIDDEN)
        self.add("type_emb", TYPES, HIDDEN)
        self.add_both("emb_ln", HIDDEN)
        for layer in range(layers):
            self.add_both(f"l{layer}.qkv", 3 * HIDDEN, HIDDEN)
            self.add_both(f"l{layer}.ao", HIDDEN, HIDDEN)
            self.add_both(f"l{layer}.aln", HIDDEN)
            self.add_both(f"l{layer}.f1", INNER, HIDDEN)
            self.add_both(f"l{layer}.f2", HIDDEN, INNER)
            self.add_both(f"l{layer}.fln", HIDDEN)

    def add_both(self, name: str, *shape: int) -> None:
        self.add(f"{name}.w", *shape, small=len(shape) > 1)
        self.add(f"{name}.b", shape[0])

    def add(self, name: str, *shape: int, small: bool = False) -> None:
        values = int(np.prod(shape))
        if small:
            steps = self.generator.integers(-127, 128, values).astype(np.int8)
            scales = self.generator.random(values // GROUP).astype("<f4")
            content = steps.tobytes() + scales.tobytes()
            self.floats[name] = (steps * np.repeat(scales, GROUP)).reshape(shape)
        else:
            plain = self.generator.random(values).astype("<f4")
            content = plain.tobytes()
            self.floats[name] = plain.reshape(shape)
        kind = "i8" if small else "f32"
        group = GROUP if small else 0
        self.rows.append({"name": name, "dtype": kind, "shape": shape, "len": len(content), "group": group})
        self.contents.append(content)

    def row(self, name: str) -> dict[str, Any]:
        return next(row for row in self.rows if row["name"] == name)

    def drop(self, name: str) -> None:
        number = self.rows.index(self.row(name))
        del self.rows[number], self.contents[number]

    def bytes(self) -> bytes:
        described = {"arch": self.sizes, "tokenizer_len": len(self.tokenizer.encode()), "tensors": self.rows}
        header = json.dumps(described).encode()
        parts = [b"HMSEMB01", len(header).to_bytes(8, "little"), header, self.tokenizer.encode(), *self.contents]
        return b"".join(parts)
