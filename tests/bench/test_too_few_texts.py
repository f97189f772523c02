"""A benchmark that would measure nothing says so, rather than fail halfway."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from bench.attacks import main


def test_texts_that_all_warm_up_leave_nothing_to_measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = tmp_path / "sentences.txt"
    sentences.write_text("a fine film\na dull film")
    monkeypatch.setattr(sys, "argv", ["bench", "--sentences", str(sentences), "--attacks", "ga", "--warm-up", "2"])
    with pytest.raises(SystemExit, match="2 texts, of which 2 warm up: none is left to measure"):
        main()
