"""Classifiers in ONNX, small enough to be made in a test: the mean of the tokens' vectors, and a linear layer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests import toy_tokenizers


def save_onnx(
    folder: Path,
    outputs: int = 2,
    config: dict[str, Any] | None = None,
    *,
    width: int | None = None,
    ends_in: str = "",
    also: str = "",
) -> Path:
    """Save a graph with its tokenizer and its config.

    Args:
        folder: Where.
        outputs: How many numbers it answers with.
        config: What ``config.json`` says.
        width: The only length it reads (default: any).
        ends_in: The last operation, such as ``Softmax``.
        also: Another input that it wants.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    tokenizer = toy_tokenizers.wordpiece()
    vectors, weights = tables(len(tokenizer), outputs)
    nodes = [
        helper.make_node("Gather", ["vectors", "input_ids"], ["read"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "axis"], ["wide"]),
        helper.make_node("Mul", ["read", "wide"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "sum_axis"], ["summed"], keepdims=0),
        helper.make_node("MatMul", ["summed", "weights"], ["raw"]),
        helper.make_node(ends_in or "Identity", ["raw"], ["logits"]),
    ]
    shape = [None, width]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, shape)
        for name in filter(None, ("input_ids", "attention_mask", also))
    ]
    constants = {"vectors": vectors, "weights": weights, "axis": np.array([2]), "sum_axis": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "toy",
        inputs,
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [None, outputs])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    folder.mkdir(parents=True, exist_ok=True)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(made, folder / "model.onnx")
    tokenizer.backend_tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config or {}), encoding="utf-8")
    return folder


def tables(tokens: int, outputs: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the vectors of the tokens and the weights of the linear layer."""
    draw = np.random.default_rng(0)
    return draw.normal(size=(tokens, 6)).astype(np.float32), draw.normal(size=(6, outputs)).astype(np.float32)


def raw_outputs(text: str, outputs: int = 2, longest: int = 512) -> NDArray[np.float32]:
    """Return what the graph answers about a text, reckoned without it."""
    tokenizer = toy_tokenizers.wordpiece()
    vectors, weights = tables(len(tokenizer), outputs)
    ids = tokenizer(text, truncation=True, max_length=longest)["input_ids"]
    found: NDArray[np.float32] = vectors[ids].sum(axis=0) @ weights
    return found
