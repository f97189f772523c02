"""The stress test of the GPU runs anywhere, and counts processes that fail."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from bench.cuda_fault import main


def told(monkeypatch: pytest.MonkeyPatch, out: Path, device: str) -> dict[str, Any]:
    small = ["--processes", "1", "--batches", "2", "--kinds", "LSTM-W-1", "--variants", "fixed segments"]
    monkeypatch.setattr(sys, "argv", ["bench", *small, "--device", device, "--out", str(out)])
    main()
    (row,) = json.loads(out.read_text())
    return dict(row)


def test_batches_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = told(monkeypatch, tmp_path / "table.json", "cpu")
    assert (row["batches"], row["faults"], row["wrong"], row["first error"]) == (2, 0, 0, "")
    assert row["texts"] >= 15


@pytest.mark.skipif(torch.cuda.is_available(), reason="where there is a GPU nothing fails")
def test_a_process_that_fails_is_counted_with_its_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    row = told(monkeypatch, tmp_path / "table.json", "cuda")
    assert (row["batches"], row["faults"], row["exit codes"]) == (0, 1, "1")
    assert "device 'cuda' was asked for, but PyTorch sees no GPU here" in row["first error"]
