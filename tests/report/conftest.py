from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unfool.engine import Outcome, Status, Verdict
from unfool.runs import Run


@pytest.fixture(scope="session")
def outcome() -> Outcome:
    """A success, for tests to vary with ``dataclasses.replace``."""
    return Outcome(
        id=0,
        label=1,
        status=Status.SUCCESS,
        reason="",
        original=("A good film.",),
        perturbed=("A decent film.",),
        before=Verdict(1, 0.9),
        after=Verdict(0, 0.6),
        queries=12,
        checks=2,
        words=3,
        words_changed=1,
        characters=12,
        characters_changed=5,
        field_names=("text",),
    )


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
