"""A granite file becomes a model folder, or is refused whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from tests import toy_tokenizers
from tests.zoo.granite_file import HIDDEN, GraniteFileMaker
from transformers import (
    AutoTokenizer,
    RobertaModel,
)

from unfool.errors import UserError
from unfool.zoo import granite


def converted(content: bytes, tmp_path: Path) -> Path:
    source, target = tmp_path / "pack", tmp_path / "folder"
    source.write_bytes(content)
    target.mkdir()
    granite.convert(source, target)
    return target


def test_every_weight_of_a_granite_file_finds_its_place(tmp_path: Path) -> None:
    maker = GraniteFileMaker(layers=2)
    folder = converted(maker.bytes(), tmp_path)
    weights = load_file(folder / "model.safetensors")
    assert all(weight.dtype == torch.float32 for weight in weights.values())
    assert sum(weight.numel() for weight in weights.values()) == sum(each.size for each in maker.floats.values())
    model, told = RobertaModel.from_pretrained(folder, add_pooling_layer=False, output_loading_info=True)
    assert not any(told.values())
    layer = model.encoder.layer[1]
    query, key, value = np.split(maker.floats["l1.qkv.w"], 3)
    for found, expected in (
        (model.embeddings.word_embeddings.weight, maker.floats["word_emb"]),
        (model.embeddings.LayerNorm.bias, maker.floats["emb_ln.b"]),
        (layer.attention.self.query.weight, query),
        (layer.attention.self.key.weight, key),
        (layer.attention.self.value.weight, value),
        (layer.attention.self.value.bias, maker.floats["l1.qkv.b"][2 * HIDDEN :]),
        (layer.attention.output.dense.weight, maker.floats["l1.ao.w"]),
        (layer.attention.output.LayerNorm.weight, maker.floats["l1.aln.w"]),
        (layer.intermediate.dense.weight, maker.floats["l1.f1.w"]),
        (layer.output.dense.weight, maker.floats["l1.f2.w"]),
        (layer.output.LayerNorm.bias, maker.floats["l1.fln.b"]),
    ):
        np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-6)


def test_the_converted_tokenizer_is_the_one_in_the_file(tmp_path: Path) -> None:
    maker = GraniteFileMaker()
    tokenizer = AutoTokenizer.from_pretrained(converted(maker.bytes(), tmp_path))
    assert (tokenizer.pad_token_id, tokenizer.bos_token_id, tokenizer.eos_token_id) == (1, 0, 2)
    assert tokenizer.model_max_length == maker.sizes["max_positions"] - 2
    expected = toy_tokenizers.byte_bpe()("a fine film", "isn't it")["input_ids"]
    assert tokenizer("a fine film", "isn't it")["input_ids"] == expected


def cut_short(maker: GraniteFileMaker) -> bytes:
    return maker.bytes()[:-1]


def too_long(maker: GraniteFileMaker) -> bytes:
    return maker.bytes() + b"\0"


def another_kind(maker: GraniteFileMaker) -> bytes:
    return b"PK" + maker.bytes()[2:]


def nothing(maker: GraniteFileMaker) -> bytes:
    return b""


def endless_header(maker: GraniteFileMaker) -> bytes:
    content = maker.bytes()
    return content[:8] + b"\xff" * 8 + content[16:]


def no_header(maker: GraniteFileMaker) -> bytes:
    content = maker.bytes()
    return content[:16] + b"\xff" * 40 + content[56:]


def missing(maker: GraniteFileMaker) -> bytes:
    maker.drop("l1.fln.b")
    return maker.bytes()


def left_over(maker: GraniteFileMaker) -> bytes:
    maker.add("l2.extra", 3)
    return maker.bytes()


def twice(maker: GraniteFileMaker) -> bytes:
    maker.add("emb_ln.b", HIDDEN)
    return maker.bytes()


def other_shape(maker: GraniteFileMaker) -> bytes:
    maker.row("l0.f1.w")["shape"] = maker.row("l0.f1.w")["shape"][::-1]
    return maker.bytes()


def negative_length(maker: GraniteFileMaker) -> bytes:
    maker.row("pos_emb")["len"] *= -1
    return maker.bytes()


def length_of_a_neighbour(maker: GraniteFileMaker) -> bytes:
    maker.row("pos_emb")["len"] -= 4
    maker.row("type_emb")["len"] += 4
    return maker.bytes()


def ungrouped(maker: GraniteFileMaker) -> bytes:
    maker.row("word_emb")["group"] = 0
    return maker.bytes()


def unknown_type(maker: GraniteFileMaker) -> bytes:
    maker.row("pos_emb")["dtype"] = "f16"
    return maker.bytes()


def not_a_number(maker: GraniteFileMaker) -> bytes:
    maker.contents[1] = np.full(len(maker.contents[1]) // 4, np.nan, "<f4").tobytes()
    return maker.bytes()


def no_sizes(maker: GraniteFileMaker) -> bytes:
    maker.sizes.clear()
    return maker.bytes()


def no_tokenizer(maker: GraniteFileMaker) -> bytes:
    maker.tokenizer = "not JSON"
    return maker.bytes()


@pytest.mark.parametrize(
    "damage",
    [
        cut_short,
        too_long,
        another_kind,
        nothing,
        endless_header,
        no_header,
        missing,
        left_over,
        twice,
        other_shape,
        negative_length,
        length_of_a_neighbour,
        ungrouped,
        unknown_type,
        not_a_number,
        no_sizes,
        no_tokenizer,
    ],
)
def test_a_damaged_granite_file_is_refused(damage: Callable[[GraniteFileMaker], bytes], tmp_path: Path) -> None:
    content = damage(GraniteFileMaker())
    with pytest.raises(UserError, match=r"pack' is damaged \(.+unfool resources get granite"):
        converted(content, tmp_path)
    assert not list((tmp_path / "folder").iterdir())
