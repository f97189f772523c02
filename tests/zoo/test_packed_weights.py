"""Weights come back as safetensors itself would write them, and no header is believed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unfool.errors import UserError
from unfool.zoo.packing import lengthen, shortened
from unfool.zoo.store import shapes

torch = pytest.importorskip("torch")


def test_lengthened_weights_are_what_safetensors_writes(tmp_path: Path) -> None:
    from safetensors.torch import load, save

    torch.manual_seed(0)
    weights = {
        "z": torch.randn(3, 5).half().float(),
        "größer": torch.randn(4000, 700).half().float(),
        "a scalar": torch.tensor(0.5),
        "empty": torch.zeros(0, 3),
        "too large": torch.full((2,), 1e20),
        "half already": torch.ones(3).half(),
        "whole numbers": torch.arange(7),
        "double": torch.rand(2).double(),
        "few bits": torch.ones(3).bfloat16(),
        "bytes": torch.ones(3, dtype=torch.uint8),
        "truths": torch.ones(2, dtype=torch.bool),
    }
    stored_whole = save(weights, {"format": "pt"})
    (tmp_path / "weights").write_bytes(shortened(stored_whole))
    lengthen(tmp_path / "weights")
    written = (tmp_path / "weights").read_bytes()
    kinds = {name: weight.dtype for name, weight in load(written).items()}
    assert kinds == {name: weight.dtype for name, weight in weights.items()}
    assert written == stored_whole


def _file(header: object, content: bytes = b"", length: int | None = None) -> bytes:
    told = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(told) if length is None else length).to_bytes(8, "little") + told + content


def _tensor(dtype: object = "F16", shape: object = (2,), offsets: object = (0, 4)) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK",
        _file({}, length=1 << 62),
        _file(b"[" * 100_000),
        _file([]),
        _file({"a": 1}),
        _file({"a": _tensor(), "__metadata__": []}, b"1234"),
        _file({"a": _tensor()}, b"123"),
        _file({"a": _tensor()}, b"12345"),
        _file({"a": _tensor(shape=[1 << 40])}, b"1234"),
        _file({"a": _tensor(shape=[-2], offsets=[0, -4])}, b""),
        _file({"a": _tensor(shape=[True, 2])}, b"1234"),
        _file({"a": _tensor(shape="ab")}, b"1234"),
        _file({"a": _tensor(offsets=[0])}, b"1234"),
        _file({"a": _tensor(dtype="F17")}, b"1234"),
        _file({"a": _tensor(dtype=[])}, b"1234"),
        _file({"a": _tensor(), "b": _tensor()}, b"1234"),
        _file({"a": _tensor(), "b": _tensor(offsets=[5, 9])}, b"123456789"),
    ],
)
def test_a_header_that_is_none_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "weights"
    file.write_bytes(content)
    with pytest.raises(ValueError, match="weights: "):
        shapes(file)
    with pytest.raises(UserError, match="were not packed by"):
        lengthen(file)
    assert file.read_bytes() == content
