from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unfool.engine import Outcome
from unfool.runs import Run

MakeRun = Callable[..., Run]


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    def make(name: str, outcomes: list[Outcome], **config: Any) -> Run:
        with Run.create(tmp_path / name, config) as run:
            for outcome in outcomes:
                run.record(outcome)
            run.finish()
        return run

    return make


@pytest.fixture(autouse=True)
def no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The charts are the browser's business."""
    monkeypatch.setattr("unfool.report._write.chart_library", lambda: "/* charts */")
