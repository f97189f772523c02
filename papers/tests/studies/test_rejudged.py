"""What is kept is what today's declarations make of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from unfool_papers.scripts import rejudged


def test_kept_tables_claims_and_rows_are_judged_as_today(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [*rejudged.RESULTS.glob("study-*.json"), *rejudged.RESULTS.glob("defences*.json")]
    files.append(rejudged.RESULTS / "attacks.json")
    for file in files:
        shutil.copy(file, tmp_path)
    monkeypatch.setattr(rejudged, "RESULTS", tmp_path)
    rejudged.main([])
    assert [file.name for file in files if (tmp_path / file.name).read_bytes() != file.read_bytes()] == []
