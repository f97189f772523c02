"""The zoo's RoBERTa: the file of the granite encoder, turned into an ordinary Hugging Face folder."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unfool import resources
from unfool.errors import UserError

_MAGIC = b"HMSEMB01"
_LENGTH_BYTES = 8
_FLOAT = np.dtype("<f4")

Floats = NDArray[np.float32]


class GraniteFile(NamedTuple):
    """What the file holds: the sizes of the net, the text of its ``tokenizer.json``, the tensors by name."""

    sizes: dict[str, Any]
    tokenizer: str
    tensors: dict[str, Floats]


def read_granite(file: Path) -> GraniteFile:
    """Read the file, every tensor as float32.

    Raises:
        ValueError: If the file is cut short, altered, or of another kind; so does a `KeyError` or a `TypeError`.
    """
    content, at = memoryview(file.read_bytes()), len(_MAGIC)

    def take(length: int) -> memoryview:
        nonlocal at
        start, at = at, at + length
        if at > len(content):
            raise ValueError(f"it ends at byte {len(content)}, before byte {at}")
        return content[start:at]

    if bytes(content[:at]) != _MAGIC:
        raise ValueError("it does not start as such a file does")
    header = json.loads(bytes(take(int.from_bytes(take(_LENGTH_BYTES), "little"))))
    rows, tokenizer = header["tensors"], bytes(take(header["tokenizer_len"])).decode()
    tensors = {row["name"]: _tensor(take(row["len"]), row) for row in rows}
    if at != len(content) or len(tensors) != len(rows):
        raise ValueError(f"its {len(rows)} tensors end at byte {at} of {len(content)}")
    return GraniteFile(header["arch"], tokenizer, tensors)


def _tensor(content: memoryview, row: dict[str, Any]) -> Floats:
    if row["dtype"] == "f32":
        floats = np.frombuffer(content, _FLOAT).astype(np.float32)
    elif row["dtype"] == "i8":
        values = math.prod(row["shape"])
        steps = np.frombuffer(content, np.int8, values).reshape(-1, row["group"])
        scales = np.frombuffer(content, _FLOAT, len(steps), offset=values).astype(np.float32)
        floats = steps * scales[:, None]
    else:
        raise ValueError(f"the type {row['dtype']!r} of {row['name']!r} is unknown")
    if not np.isfinite(floats).all():
        raise ValueError(f"{row['name']!r} holds numbers that are none")
    return floats.reshape(row["shape"])


_SPECIALS = {
    "bos_token": "<s>",
    "cls_token": "<s>",
    "pad_token": "<pad>",
    "eos_token": "</s>",
    "sep_token": "</s>",
    "unk_token": "<unk>",
    "mask_token": "<mask>",
}


def folder() -> Path:
    """Return the folder of the encoder, made in the cache on first use."""
    return resources.derived("granite", "transformers", convert)


def convert(source: Path, target: Path) -> None:
    """Write the encoder in a granite file as config, float32 weights and tokenizer into an empty folder."""
    from safetensors.numpy import save_file

    try:
        held = read_granite(source)
        config = _config(held)
        weights = _weights(held)
    except (ValueError, KeyError, TypeError) as problem:
        raise UserError(
            f"{str(source)!r} is damaged ({problem}); delete its folder and get it again: "
            "unfool resources get granite"
        ) from problem
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    (target / "tokenizer.json").write_text(held.tokenizer, encoding="utf-8")
    described = {
        # The very tokenizer.json is used: RoBERTa's own class would build another one from its vocabulary.
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": config["max_position_embeddings"] - config["pad_token_id"] - 1,
        "model_input_names": ["input_ids", "attention_mask"],
        **_SPECIALS,
    }
    for name, content in (("config.json", config), ("tokenizer_config.json", described)):
        (target / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def _config(held: GraniteFile) -> dict[str, Any]:
    sizes = held.sizes
    numbers = {token["content"]: token["id"] for token in json.loads(held.tokenizer)["added_tokens"]}
    return {
        "architectures": ["RobertaModel"],
        "model_type": "roberta",
        "vocab_size": sizes["vocab"],
        "hidden_size": sizes["hidden"],
        "num_hidden_layers": sizes["layers"],
        "num_attention_heads": sizes["heads"],
        "intermediate_size": sizes["intermediate"],
        "max_position_embeddings": sizes["max_positions"],
        "type_vocab_size": sizes["type_vocab"],
        "layer_norm_eps": sizes["layer_norm_eps"],
        "hidden_act": "gelu",
        **{f"{name}_token_id": numbers[_SPECIALS[f"{name}_token"]] for name in ("pad", "bos", "eos")},
        "dtype": "float32",
    }


def _weights(held: GraniteFile) -> dict[str, Floats]:
    """Give each tensor the name RoBERTa knows it by; each must have its shape, none may be missing or left over."""
    left, sizes = dict(held.tensors), held.sizes
    hidden, inner = sizes["hidden"], sizes["intermediate"]

    def take(name: str, *shape: int) -> Floats:
        if name not in left:
            raise ValueError(f"it holds no {name!r}")
        tensor = left.pop(name)
        if tensor.shape != shape:
            raise ValueError(f"{name!r} has the shape {tensor.shape}, not {shape}")
        return tensor

    def take_both(name: str, known_as: str, *shape: int) -> dict[str, Floats]:
        return {f"{known_as}.weight": take(f"{name}.w", *shape), f"{known_as}.bias": take(f"{name}.b", shape[0])}

    weights = {
        "embeddings.word_embeddings.weight": take("word_emb", sizes["vocab"], hidden),
        "embeddings.position_embeddings.weight": take("pos_emb", sizes["max_positions"], hidden),
        "embeddings.token_type_embeddings.weight": take("type_emb", sizes["type_vocab"], hidden),
        **take_both("emb_ln", "embeddings.LayerNorm", hidden),
    }
    for number in range(sizes["layers"]):
        ours, layer = f"l{number}", f"encoder.layer.{number}"
        for name, stacked in take_both(f"{ours}.qkv", "", 3 * hidden, hidden).items():
            for part, tensor in zip(("query", "key", "value"), np.split(stacked, 3), strict=True):
                weights[f"{layer}.attention.self.{part}{name}"] = np.ascontiguousarray(tensor)
        weights |= take_both(f"{ours}.ao", f"{layer}.attention.output.dense", hidden, hidden)
        weights |= take_both(f"{ours}.aln", f"{layer}.attention.output.LayerNorm", hidden)
        weights |= take_both(f"{ours}.f1", f"{layer}.intermediate.dense", inner, hidden)
        weights |= take_both(f"{ours}.f2", f"{layer}.output.dense", hidden, inner)
        weights |= take_both(f"{ours}.fln", f"{layer}.output.LayerNorm", hidden)
    if left:
        raise ValueError(f"{min(left)!r} has no place in a RoBERTa")
    return weights
